"""ONNX in: models written here, against NumPy, onnxruntime, and sentences."""
