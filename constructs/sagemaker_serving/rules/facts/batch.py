"""What an environment file says of a batch pipeline, beside what its jobs are."""

from __future__ import annotations

from dataclasses import dataclass

from sagemaker_serving.errors import Where
from sagemaker_serving.rules.facts import Fact


@dataclass(frozen=True, kw_only=True)
class BatchPipelineFacts:
    """How inputs are cut and tried again, and what starts the pipeline: its block as written."""

    where: Where
    block: Fact
