"""What everything else stands on: errors, data types, scalars, tensors, memory, settings."""
