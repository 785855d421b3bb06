"""``sagemaker-serving predict``: requests to an endpoint."""

from __future__ import annotations

import base64
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from local_aws.cli.interrupted import when_interrupted
from local_aws.cli.options import json_option
from sagemaker_serving.cli.completing import DeployedEndpoint, variant_named
from sagemaker_serving.cli.options import WhichAws, aws_options
from sagemaker_serving.errors import ModelFailed, NotFound

if TYPE_CHECKING:
    from sagemaker_serving.cli.answers import Answers
    from sagemaker_serving.client import Predictor

FORMATS = ("csv", "json", "jsonlines", "npy")


@click.command()
@click.argument("endpoint", type=DeployedEndpoint())
@click.argument("bodies", metavar="[BODY]...", nargs=-1)
@click.option(
    "--file",
    "files",
    multiple=True,
    type=click.Path(path_type=Path, allow_dash=True),
    help="Send this file instead; - is standard input. Several: one request each.",
)
@click.option(
    "--input-format",
    type=click.Choice(FORMATS),
    help="The input is records in this format. They are split into requests that fit, and there is "
    "one answer. A .npy goes as JSON to a model that takes no arrays.",
)
@click.option(
    "--content-type",
    help="The body's type; default: by the file's suffix, else application/json.",
)
@click.option("--accept", help="The answer's type.")
@click.option("--variant", help="Send to this variant, whatever its weight.")
@click.option(
    "--target-model",
    help="Send to this archive of a multi-model endpoint: NAME.tar.gz.",
)
@click.option("--inference-component", help="Send to this inference component.")
@click.option("--inference-id", help="The request's name in the endpoint's data capture.")
@click.option(
    "--custom-attributes",
    help="X-Amzn-SageMaker-Custom-Attributes, such as tfs-model-name=digits,tfs-method=classify.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(min=1),
    default=8,
    show_default=True,
    help="Requests sent at the same time.",
)
@click.option("--stream", is_flag=True, help="Print the answer in parts, as the model writes it.")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    help="Write the answer here. For several files it is a folder, which gets FILE.out of each.",
)
@click.option("--verbose", "-v", is_flag=True, help="Print which variant answered, and how fast.")
@json_option
@aws_options
def predict(
    endpoint: str,
    bodies: tuple[str, ...],
    files: tuple[Path, ...],
    input_format: str | None,
    content_type: str | None,
    accept: str | None,
    variant: str | None,
    target_model: str | None,
    inference_component: str | None,
    inference_id: str | None,
    custom_attributes: str | None,
    concurrency: int,
    stream: bool,
    output: Path | None,
    verbose: bool,
    as_json: bool,
    which: WhichAws,
) -> None:
    """Send BODY to ENDPOINT and print the model's answer, byte for byte.

    ENDPOINT is any SageMaker endpoint, or `prod/digits`, a model of environments/prod.yaml. BODY is
    a file, or the text itself. Without BODY, and for -, the request is read from standard input. A
    file's suffix says its type. Answers to several files are printed on a line each, in the order
    of the files. With --json each answer has its variant, its type and its time beside it. Ends
    with 1 when the model answers with an error.

    \b
    Examples:
      sagemaker-serving predict local-half-plus-three --local \\
          '{"instances": [1.0, 2.0, 5.0]}'
      sagemaker-serving predict prod-digits seven.png
      sagemaker-serving predict prod-digits seven.png eight.png -o answers/
      sagemaker-serving predict prod-digits many.csv --input-format csv \\
          > answer.json
      sagemaker-serving predict prod-digits seven.png --json | jq '.[0].variant'
      sagemaker-serving predict prod-writer '{"prompt": "count to 3"}' --stream
    """
    from sagemaker_serving.cli.answers import Answers
    from sagemaker_serving.client import Limits, Predictor

    if bodies and files:
        raise click.UsageError("give BODY or --file, not both")
    body, files = _meant(bodies, files)
    if stream and (input_format is not None or len(files) > 1):
        raise click.UsageError("--stream takes one body; leave out --input-format and other files")
    if as_json and (stream or output is not None or input_format is not None):
        raise click.UsageError("--json prints answers; leave out --stream, -o and --input-format")
    if input_format is not None and len(files) > 1:
        raise click.UsageError("--input-format takes one file of records; join the files first")
    if body is None and not files and sys.stdin.isatty():
        raise click.UsageError("there is no body: give BODY, --file, or pipe it in")
    members: dict[str, Any] = {
        "TargetVariant": variant_named(variant, endpoint),
        "TargetModel": target_model,
        "InferenceComponentName": inference_component,
        "InferenceId": inference_id,
        "CustomAttributes": custom_attributes,
        "ContentType": content_type,
        "Accept": accept,
    }
    given = {name: value for name, value in members.items() if value is not None}
    answers = Answers(output, several=len(files) > 1, verbose=verbose)
    aws = which.aws(of=endpoint)
    limits = Limits(concurrency=concurrency)
    with (
        when_interrupted(answers.kept),
        answers,
        Predictor(endpoint, aws, limits=limits, on_prediction=answers.count) as predictor,
        _input(body, files, input_format) as data,
        _with_what_helps(predictor, data, target_model, local=which.local),
    ):
        if as_json:
            _print_json(predictor, data, given)
        else:
            _send(predictor, data, given, input_format, stream, answers)


def _print_json(predictor: Predictor, data: Any, members: dict[str, Any]) -> None:
    """Every answer for programs: its body as JSON if it is that, as text, or in base64."""
    sent = data if isinstance(data, list) else [data]
    if not isinstance(data, list):
        members.setdefault("ContentType", _type_of(data))
    told = []
    for each, answer in zip(
        sent, predictor.predict_each(sent, members, encoding="raw"), strict=True
    ):
        body: dict[str, object]
        try:
            body = {"body": answer.json()}
        except ValueError:
            try:
                body = {"body": answer.body.decode()}
            except UnicodeDecodeError:
                body = {"base64": base64.b64encode(answer.body).decode()}
        told.append(
            {
                "file": str(each) if isinstance(each, Path) else None,
                "variant": answer.variant,
                "content_type": answer.content_type,
                "seconds": answer.seconds,
                "attempts": answer.attempts,
                **body,
            }
        )
    click.echo(json.dumps(told))


@contextmanager
def _with_what_helps(
    predictor: Predictor, data: object, target: str | None, *, local: bool
) -> Iterator[None]:
    """The local AWS's log where AWS names its console's page, and what a bare list is given to.

    A multi-model endpoint's models are named as their archives are.
    """
    try:
        yield
    except NotFound as error:
        told = str(error)
        if "missing a target model" in told:
            raise NotFound(f"{told}: --target-model NAME.tar.gz says which one answers") from None
        if target is None or target.endswith(".tar.gz") or "Endpoint" in told:
            raise
        raise NotFound(f"{told}; an archive's name has its suffix: {target}.tar.gz") from None
    except ModelFailed as error:
        from sagemaker_serving.client.runtime_errors import reword

        told = str(error)
        if error.log is not None and local:
            told = told.replace(
                error.log, f"sagemaker-serving local logs {predictor.endpoint_name}"
            )
        if isinstance(data, str) and data.lstrip().startswith("["):
            told += _of_a_list(data.strip(), predictor.facts.image() or "")
        elif isinstance(data, Path) and data.suffix == ".npy":
            told += "; --input-format npy writes an array as the model takes it"
        raise reword(error, told) from None


def _of_a_list(text: str, image: str) -> str:
    """What the image makes of a list that was sent as JSON.

    Without a handler TensorFlow's container puts a list into ``{"instances": …}``, and with one it
    hands the body on (tensorflowServing.js and python_service.py of
    github.com/aws/sagemaker-tensorflow-serving-container). scikit-learn refuses one dimension
    (``check_array`` of its ``utils/validation.py``).
    """
    from sagemaker_serving.client.payload.images import JSON, accepted_by

    accepted, sent = accepted_by(image), f"; a bare list was sent ({len(text.encode())} bytes)"
    if JSON not in accepted.content_types:
        known = ", ".join(accepted.content_types)
        return f"{sent} as {JSON}; {accepted.by} takes {known}: --content-type {known}"
    if accepted.json_form == "list":
        is_flat = not text[1:].lstrip().startswith("[")
        return f"{sent}; one row of numbers is [{_shortened(text)}]" if is_flat else ""
    return (
        f"{sent}; a handler, if there is one, is given it as it is, where TensorFlow wants "
        f'{{"instances": {_shortened(text)}}}'
    )


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


def _meant(bodies: tuple[str, ...], files: tuple[Path, ...]) -> tuple[str | None, tuple[Path, ...]]:
    """The text, or the files, that the arguments mean."""
    named = [body for body in bodies if body == "-" or _is_file(body)]
    if "-" in named and len(bodies) > 1:
        raise click.UsageError("- is standard input, one body; name it alone")
    if len(named) == len(bodies):
        return None, files or tuple(map(Path, named))
    if len(bodies) == 1 and not _looks_like_a_file(bodies[0]):
        return bodies[0], files
    missing = next(body for body in bodies if body not in named)
    bare = missing.removeprefix("@")
    hint = f"; give {bare}, without the @" if bare != missing and _is_file(bare) else ""
    raise click.UsageError(f"there is no file {missing}{hint}")


def _is_file(body: str) -> bool:
    try:
        return Path(body).is_file()
    except (OSError, ValueError):  # a body too long for a name, or with a zero byte
        return False


def _looks_like_a_file(body: str) -> bool:
    from sagemaker_serving.client.payload.items import OCTET_STREAM, type_of

    alone = not any(letter in body for letter in ' \n{["')
    return alone and type_of(Path(body)) != OCTET_STREAM


def _send(
    predictor: Predictor,
    data: Any,
    members: dict[str, Any],
    input_format: Any,
    stream: bool,
    answers: Answers,
) -> None:
    if stream:
        for part in predictor.stream(data, members):
            answers.write(part)
    elif isinstance(data, list):
        with answers.progress(len(data)):
            for path, prediction in zip(
                data, predictor.predict_each(data, members, encoding="raw"), strict=True
            ):
                answers.write(prediction.body, of=path)
    elif input_format is not None:
        # An array is written as the model takes it, which TensorFlow's container does as JSON.
        is_array = input_format == "npy" and data.suffix == ".npy" and "ContentType" not in members
        with answers.progress(None):
            answer = predictor.predict(data, members, encoding=None if is_array else input_format)
        answers.write(answers.text(answer))
    else:
        members.setdefault("ContentType", _type_of(data))
        (prediction,) = predictor.predict_each([data], members, encoding="raw")
        answers.write(prediction.body)


def _type_of(data: str | bytes | Path) -> str:
    from sagemaker_serving.client.payload.items import OCTET_STREAM, type_of

    told = OCTET_STREAM if isinstance(data, str) else type_of(data)
    return "application/json" if told == OCTET_STREAM else told


@contextmanager
def _input(
    body: str | None, files: tuple[Path, ...], input_format: str | None
) -> Iterator[str | bytes | Path | list[Path]]:
    """What is to be sent; records on standard input are put into a file, and read from there."""
    if len(files) > 1:
        yield list(files)
    elif files and files[0] != Path("-"):
        yield files[0]
    elif input_format is None:
        sent = body if body is not None else sys.stdin.buffer.read()
        if sent == b"":
            raise click.UsageError(
                "standard input is empty; give BODY or --file, or pipe a body in"
            )
        yield sent
    else:
        with tempfile.NamedTemporaryFile(suffix=f".{input_format}") as spooled:
            source = [body.encode()] if body is not None else sys.stdin.buffer
            spooled.writelines(source)
            spooled.flush()
            yield Path(spooled.name)
