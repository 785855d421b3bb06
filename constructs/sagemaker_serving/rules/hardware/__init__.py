"""Rules on instance types and accelerators."""
