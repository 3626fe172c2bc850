"""Passes over plans of graphs: the same results in less time. A device says which it wants."""
