"""Where golden requests go: an endpoint, or a server on this machine."""

from __future__ import annotations

import http.client
from collections.abc import Callable

from sagemaker_serving.answers.bodies import Answer
from sagemaker_serving.answers.golden_file import Request
from sagemaker_serving.client.predictor import Predictor
from sagemaker_serving.errors import Failure, ModelFailed

Send = Callable[[Request], Answer]
"""``send(request)``: the model's answer, whatever its status; raises `ReportedError`."""

SERVER_TIMEOUT_SECONDS = 60.0
"""As long as SageMaker waits for a model's answer
(docs.aws.amazon.com/sagemaker/latest/APIReference/API_runtime_InvokeEndpoint.html)."""


def to_endpoint(predictor: Predictor) -> Send:
    """Sends to an endpoint. A status that is the model's own is an answer like any other."""

    def send(request: Request) -> Answer:
        try:
            prediction = predictor.invoke(
                request.body,
                content_type=request.content_type,
                accept=request.accept,
                custom_attributes=request.custom_attributes,
                target_model=request.target_model,
                target_variant=request.target_variant,
                component_name=request.inference_component,
                inference_id=request.inference_id,
            )
        except ModelFailed as failed:
            return Answer(status=failed.status, body=failed.body.encode())
        return Answer(status=200, body=prediction.body)

    return send


def to_server(connect: Callable[[float], http.client.HTTPConnection]) -> Send:
    """Sends to /invocations of a model server, or to the model that is named.

    ``connect`` opens a connection to it, with a time-out in seconds. What chooses between the
    variants of an endpoint means nothing to it.
    """

    def send(request: Request) -> Answer:
        headers = {
            "Content-Type": request.content_type or None,
            "Accept": request.accept,
            "X-Amzn-SageMaker-Custom-Attributes": request.custom_attributes,
        }
        path = "/invocations"
        if request.target_model is not None:
            path = f"/models/{request.target_model}/invoke"
        connection = connect(SERVER_TIMEOUT_SECONDS)
        try:
            connection.request(
                "POST",
                path,
                request.body,
                {name: value for name, value in headers.items() if value is not None},
            )
            response = connection.getresponse()
            return Answer(status=response.status, body=response.read())
        except (OSError, http.client.HTTPException) as error:
            raise Failure(f"the model server does not answer: {error}") from error
        finally:
            connection.close()

    return send
