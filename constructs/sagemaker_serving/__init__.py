"""Put a model on Amazon SageMaker: constructs, checks, a client and a local AWS."""

__version__ = "0.3.0"
