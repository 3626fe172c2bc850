"""Functions for graphs that are written by hand, a module per family of definitions."""
