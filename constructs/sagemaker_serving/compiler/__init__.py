"""Compiles a model with OpenVINO, the stand-in for Neo's compiler; runs with it, alone."""
