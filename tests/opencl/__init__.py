"""Tests of the devices of OpenCL, on implementations that need no GPU."""
