"""Networks of DirectML's samples, on the graph functions: see README.md."""
