"""Ranks of networks, each a Bracket of whole numbers."""
