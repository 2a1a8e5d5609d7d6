"""Representation costs, each a Bracket; one file per family."""
