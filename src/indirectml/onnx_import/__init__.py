"""ONNX in: from the nodes of an ONNX model to the operators of a graph.

`package.py` imports onnx, `reading.py` reads models and tensors, `schemas.py` knows what ONNX says
of an operator. `translation.py` walks the nodes; what a node becomes is said by a handler, a
function from a `Node` (`nodes.py`) to `Value`s (`values.py`), in the module that has the name of
the operator's family. `inputs.py` fixes the sizes of inputs, and `model.py` is the door.
"""
