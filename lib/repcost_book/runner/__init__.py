"""Executing chapters: which ones must run again, in which processes, on which machines, and what
became of them.
"""
