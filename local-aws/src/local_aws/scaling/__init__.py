"""What can be scaled, what its policies and its schedule ask for, and what is granted of it.

Pure: nothing is called and nothing changed. Policies and actions are read as the API describes.
"""

from local_aws.scaling.dimensions import ScalableDimension, TrackedMetric

__all__ = ["ScalableDimension", "TrackedMetric"]
