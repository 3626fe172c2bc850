"""ONNX out: DirectML graphs as ONNX models.

A family of operators has a module of the same name as in `operators/`, with the ONNX form of each.
`building.py` has values and the nodes that make them, `forms.py` says how a form is stated,
`words.py` has what forms share, `views.py` strides and reinterpretation; `exporting.py` walks over
the nodes of a serialized graph, `writing.py` makes the model, checks and writes it.
"""
