"""What happens inside of a model: which node differs, what takes how long, and pictures of it."""
