"""What callers have becomes requests: `batch_of`."""

from sagemaker_serving.client.payload.batch import Batch, Encoding, Joining, Piece
from sagemaker_serving.client.payload.choice import ModelFacts
from sagemaker_serving.client.payload.reading import batch_of, unwritable, written

__all__ = [
    "Batch",
    "Encoding",
    "Joining",
    "ModelFacts",
    "Piece",
    "batch_of",
    "unwritable",
    "written",
]
