"""Graphs: expressions, nodes and edges, and the `Graph` of the `directml` package."""
