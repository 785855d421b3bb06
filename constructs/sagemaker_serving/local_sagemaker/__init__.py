"""SageMaker on this machine: a control plane and a runtime that serve models for real."""
