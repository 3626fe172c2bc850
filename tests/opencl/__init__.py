"""Kernels of OpenCL."""
