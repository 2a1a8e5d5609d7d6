"""From executed notebooks to the pages that people read."""
