from __future__ import annotations

import pytest

from sagemaker_serving.client import Aws, BatchPipeline
from sagemaker_serving.errors import NotFound
from sagemaker_serving.local.gateway import Gateway


def test_a_pipeline_that_is_not_deployed_is_named_with_what_to_do(gateway: Gateway) -> None:
    aws = Aws(
        region="eu-west-1",
        endpoint_url=gateway.url,
        access_key_id="test",
        secret_access_key="test",
    )
    with pytest.raises(NotFound, match="give the model a batch_transform block and deploy it"):
        BatchPipeline("prod", "digits", aws)
