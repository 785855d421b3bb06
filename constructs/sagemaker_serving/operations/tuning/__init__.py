"""Which batching and server settings answer most, within a latency goal.

::

    search      which settings are tried, and which of them is best: no server, no clock
    server      a trial on this machine, on the model server
    endpoint    a trial on AWS, on a copy of an endpoint
"""

from sagemaker_serving.operations.tuning.search import Settings, Trial, Tuning, tune

__all__ = ["Settings", "Trial", "Tuning", "tune"]
