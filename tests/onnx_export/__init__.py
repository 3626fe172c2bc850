"""Operators exported to ONNX, run elsewhere, and compared with IndirectML."""
