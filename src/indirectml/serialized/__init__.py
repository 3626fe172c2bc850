"""DirectML graphs in files: what ONNX Runtime's DirectML provider writes and DxDispatch runs.

`schema.py` has the tables of the format, `flatbuffer.py` turns bytes into plain data and back, and
`fields.py` knows how fields of operators are written. `nodes.py` has operators and constants,
`graph.py` the graph itself; `weights.py`, `reading.py` and `writing.py` stand between it and files,
`describing.py` between it and `GraphDesc`.
"""
