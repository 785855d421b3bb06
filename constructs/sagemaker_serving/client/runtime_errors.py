"""What SageMaker's runtime answers when it does not predict, as errors that say what to do."""

from __future__ import annotations

import json
import re

from botocore.exceptions import ClientError

from sagemaker_serving.catalog.request_sizes import REAL_TIME
from sagemaker_serving.errors import Failure, Mistake, ModelFailed, NotFound


def explained(error: ClientError, endpoint: str, region: str) -> BaseException:
    """``error`` as one of this project; itself when it is none of the runtime's own."""
    answer = error.response["Error"]
    code, message = str(answer.get("Code", "")), str(answer.get("Message", ""))
    if code == "ModelError":
        status = int(error.response.get("OriginalStatusCode", 0))
        body = str(error.response.get("OriginalMessage", message))
        return model_failed(endpoint, status, body, _log(error.response, message))
    if code in ("ValidationError", "ValidationException"):
        place = f" in {region}" if "not found" in message.lower() else ""
        return NotFound(f"{endpoint}: {message.rstrip('.')}{place}")
    if code == "413":
        return Mistake(
            f"{endpoint}: {message.rstrip('.')}; {REAL_TIME.documented}; send less in a request, "
            "deploy the model as an asynchronous endpoint (1 GB), or run a batch transform"
        )
    unexplained: BaseException = error
    return unexplained


def model_failed(endpoint: str, status: int | None, body: str, log: str | None) -> ModelFailed:
    """The model's own error, with where its log is; without a status where AWS tells none."""
    where = "" if log is None else f"; its log: {log}"
    answered = "failed" if status is None else f"answered {status}"
    return ModelFailed(
        f"the model of {endpoint} {answered}: {_words_of(body.strip())}{where}",
        status=0 if status is None else status,
        body=body,
        log=log,
    )


def _words_of(body: str) -> str:
    """What an error says, without the JSON around it and without the trace, which the log has."""
    try:
        told = json.loads(body)
    except ValueError:
        return body.partition("\nTraceback (most recent call last):")[0].rstrip()
    if isinstance(told, dict) and len(told) == 1 and told.keys() <= {"error", "message"}:
        (inner,) = told.values()
        return _words_of(inner) if isinstance(inner, str) else body
    return body


def given_up(
    error: ClientError, endpoint: str, region: str, attempts: int, deadline_seconds: float
) -> BaseException:
    """What is said of ``error`` when it was met at every one of ``attempts``, to the deadline."""
    tried = f"after {attempts} attempt{'s' if attempts > 1 else ''} in {deadline_seconds:.0f} s"
    found = explained(error, endpoint, region)
    if isinstance(found, ModelFailed):
        if attempts == 1:
            return found
        message = (
            f"{found}; still so {tried}: send fewer requests at a time, or let more batches wait "
            "(max_enqueued_batches)"
        )
        return ModelFailed(message, status=found.status, body=found.body, log=found.log)
    answer = error.response["Error"]
    reason = f"{answer.get('Code')}: {str(answer.get('Message', '')).rstrip('.')}"
    return Failure(f"{endpoint}: {reason} {tried}; try again later, or allow more time")


def about_records(error: BaseException, first: int, count: int, of: int | None) -> BaseException:
    """``error`` with the records that it is about, ``of`` so many, None when nobody knows."""
    if of == 1 or not isinstance(error, Failure):
        return error
    which = f"record {first}" if count == 1 else f"records {first} to {first + count - 1}"
    return reword(error, f"{which}{'' if of is None else f' of {of}'}: {error}")


def reword(error: Failure, message: str) -> Failure:
    """``error`` with another message."""
    if isinstance(error, ModelFailed):
        return ModelFailed(message, status=error.status, body=error.body, log=error.log)
    return type(error)(message)


def _log(response: dict[str, object], message: str) -> str | None:
    """The console's page of the log, which AWS puts into the message, or the stream's ARN."""
    address = re.search(r"https://\S+", message)
    if address is not None:
        return address.group()
    arn = response.get("LogStreamArn")
    return str(arn) if arn else None
