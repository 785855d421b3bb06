from __future__ import annotations

import pytest

from local_aws.gateway import Gateway
from sagemaker_serving.errors import NotFound
from sagemaker_serving.operations import BatchPipeline
from tests.local_aws.aws import client_of


def test_a_pipeline_that_is_not_deployed_is_named_with_what_to_do(gateway: Gateway) -> None:
    with pytest.raises(NotFound, match="give the model a batch_transform block and deploy it"):
        BatchPipeline("prod", "digits", client_of(gateway))
