"""Rules on a model's files: its archive, what is in it, where it lies."""
