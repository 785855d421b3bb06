"""Run by the SageMaker SDK's own Python: deploys, asks, deletes; prints what it got as JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

import boto3
from botocore.exceptions import ClientError
from sagemaker.session import Session
from sagemaker.tensorflow import TensorFlowModel, TensorFlowPredictor

NAME = "by-the-sdk"


def main(model_data_url: str, role_arn: str) -> None:
    session = Session(boto3.session.Session())
    model = TensorFlowModel(
        model_data=model_data_url,
        role=role_arn,
        framework_version="2.19",
        name=NAME,
        # Without it the SDK asks for the account's default bucket, always of the real STS.
        code_location=model_data_url.rpartition("/")[0],
        sagemaker_session=session,
    )
    # The SDK's own wait looks only every thirty seconds.
    model.deploy(
        initial_instance_count=1, instance_type="ml.c5.large", endpoint_name=NAME, wait=False
    )
    client = session.sagemaker_client
    client.get_waiter("endpoint_in_service").wait(
        EndpointName=NAME, WaiterConfig={"Delay": 1, "MaxAttempts": 120}
    )
    answers = {
        "status": client.describe_endpoint(EndpointName=NAME)["EndpointStatus"],
        **ask(session),
    }
    TensorFlowPredictor(NAME, session).delete_endpoint(delete_endpoint_config=True)
    model.delete_model()
    client.get_waiter("endpoint_deleted").wait(
        EndpointName=NAME, WaiterConfig={"Delay": 1, "MaxAttempts": 120}
    )
    left = client.list_endpoints(NameContains=NAME)["Endpoints"]
    print(json.dumps({**answers, "left": left}, default=str))


def ask(session: Session) -> dict[str, Any]:
    tensorflow = TensorFlowPredictor(NAME, session)
    examples = [{"x": 1.0}, {"x": 2.0}]
    return {
        "predict": tensorflow.predict({"instances": [1.0, 2.0, 5.0]}),
        "classify": tensorflow.classify(
            {"signature_name": "classify_x_to_y", "examples": examples}
        ),
        "no such version": _refusal(
            TensorFlowPredictor(NAME, session, model_name="half_plus_three", model_version="7")
        ),
    }


def _refusal(predictor: TensorFlowPredictor) -> str:
    try:
        predictor.predict({"instances": [1.0]})
    except ClientError as error:
        return str(error)
    return "it was answered"


if __name__ == "__main__":
    main(*sys.argv[1:])
