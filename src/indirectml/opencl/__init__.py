"""OpenCL: its devices, what they can, their memory, and kernels for programs and words."""
