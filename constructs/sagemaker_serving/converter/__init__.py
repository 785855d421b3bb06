"""Turns a Keras model or a frozen graph into a SavedModel; runs with TensorFlow, alone."""
