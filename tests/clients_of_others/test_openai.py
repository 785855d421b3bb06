"""OpenAI's own client asks an endpoint, with a token of sagemaker-core's and with one of ours."""

from __future__ import annotations

import pytest

from sagemaker_serving.client import Aws, Predictor
from tests.clients_of_others.conftest import REGION, World, said_by

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(600)]


def test_openai_s_client_chats_streams_and_reads_refusals(world: World) -> None:
    sagemaker = Aws.at(world.address, REGION).client("sagemaker")
    sagemaker.create_model(
        ModelName="chat",
        ExecutionRoleArn=world.role_arn,
        PrimaryContainer={
            "Image": f"763104351884.dkr.ecr.{REGION}.amazonaws.com/vllm:0.27.1-gpu-py312",
            "Environment": {"HF_MODEL_ID": "team/words"},
        },
    )
    variant = {"VariantName": "v", "ModelName": "chat", "InstanceType": "ml.g5.2xlarge"}
    sagemaker.create_endpoint_config(
        EndpointConfigName="chat", ProductionVariants=[{**variant, "InitialInstanceCount": 1}]
    )
    sagemaker.create_endpoint(EndpointName="chat", EndpointConfigName="chat")
    sagemaker.get_waiter("endpoint_in_service").wait(
        EndpointName="chat", WaiterConfig={"Delay": 1, "MaxAttempts": 120}
    )
    with Predictor("chat", Aws.at(world.address, REGION)) as predictor:
        ours = predictor.openai()
    answers = said_by(
        *("sagemaker_core", "openai_calls.py", ours["base_url"], REGION, ours["api_key"]),
        environment=world.environment(),
    )
    assert answers["whole"].startswith("no model has answered: a stub")
    assert len(answers["parts"]) > 5
    assert "".join(answers["parts"]) == answers["whole"]
    assert answers["ours"] == "chat.completion"
    status, code, kind, message = answers["refused"]
    assert (status, code, kind) == (400, "model_error", "server_error")
    assert "messages are wanted, each with its content" in message
