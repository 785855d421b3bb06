"""Run by the SageMaker SDK's own Python: deploys, asks, deletes; prints what it got as JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

import boto3
import numpy
from botocore.exceptions import ClientError
from sagemaker.deserializers import JSONDeserializer
from sagemaker.predictor import Predictor
from sagemaker.serializers import CSVSerializer, JSONLinesSerializer, JSONSerializer
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
    csv = TensorFlowPredictor(NAME, session, serializer=CSVSerializer())
    lines = TensorFlowPredictor(NAME, session, serializer=JSONLinesSerializer())
    plain = Predictor(NAME, session, JSONSerializer(), JSONDeserializer())
    one = {"instances": [1.0]}
    examples = [{"x": 1.0}, {"x": 2.0}]
    return {
        "predict": tensorflow.predict({"instances": [1.0, 2.0, 5.0]}),
        "numpy": tensorflow.predict(numpy.array([1.0, 2.0, 5.0])),
        "csv": csv.predict([[1.0], [2.0]]),
        "jsonlines": lines.predict(examples),
        "regress": tensorflow.regress({"signature_name": "regress_x_to_y", "examples": examples}),
        "classify": tensorflow.classify(
            {"signature_name": "classify_x_to_y", "examples": examples}
        ),
        "variant": plain.predict(one, target_variant="AllTraffic"),
        "version": _versioned(session, "1").predict(one),
        "no such version": _refusal(_versioned(session, "7"), one),
    }


def _versioned(session: Session, version: str) -> TensorFlowPredictor:
    return TensorFlowPredictor(NAME, session, model_name="half_plus_three", model_version=version)


def _refusal(predictor: TensorFlowPredictor, body: Any) -> str:
    try:
        predictor.predict(body)
    except ClientError as error:
        return str(error)
    return "it was answered"


if __name__ == "__main__":
    main(*sys.argv[1:])
