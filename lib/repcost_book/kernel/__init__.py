"""What runs inside a chapter: its settings, its checks, figures, numbers, widgets, and what was
recorded before.
"""
