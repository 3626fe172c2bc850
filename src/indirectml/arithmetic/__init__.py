"""The words that operators' definitions are written in."""
