"""``sagemaker-serving predict``: one request to an endpoint."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import BinaryIO

import click

from sagemaker_serving.cli.options import aws_options, the_aws


@click.command()
@click.argument("endpoint")
@click.argument("body", required=False)
@click.option(
    "--file", "file", type=click.File("rb"), help="Send this file instead; - is standard input."
)
@click.option(
    "--content-type", default="application/json", show_default=True, help="What the body is."
)
@click.option("--accept", help="What the answer should be.")
@click.option("--variant", help="Ask this variant, whatever the weights say.")
@click.option(
    "--custom-attributes",
    help="X-Amzn-SageMaker-Custom-Attributes, such as tfs-model-name=digits,tfs-method=classify.",
)
@click.option("--verbose", "-v", is_flag=True, help="Say which variant answered, and how fast.")
@aws_options
def predict(
    endpoint: str,
    body: str | None,
    file: BinaryIO | None,
    content_type: str,
    accept: str | None,
    variant: str | None,
    custom_attributes: str | None,
    verbose: bool,
    local: bool,
    state_dir: Path,
    region: str | None,
    profile: str | None,
) -> None:
    """Send BODY to ENDPOINT and print the model's answer, byte for byte.

    Any endpoint will do, whoever made it. Without BODY and --file the request
    is read from standard input. Ends with 1 when the model refuses.

    \b
    Examples:
      sagemaker-serving predict local-half-plus-three '{"instances": [1.0, 2.0, 5.0]}' --local
      sagemaker-serving predict prod-digits --file seven.png --content-type application/x-image
    """
    from sagemaker_serving.client import Predictor

    predictor = Predictor(endpoint, the_aws(local, state_dir, region, profile))
    prediction = predictor.predict(
        _body(body, file),
        content_type=content_type,
        accept=accept,
        target_variant=variant,
        custom_attributes=custom_attributes,
    )
    sys.stdout.buffer.write(prediction.body)
    if sys.stdout.isatty() and not prediction.body.endswith(b"\n"):
        click.echo()
    sys.stdout.buffer.flush()
    if verbose:
        click.echo(
            f"{prediction.content_type} from variant {prediction.variant} "
            f"in {prediction.seconds * 1000:.1f} ms",
            err=True,
        )


def _body(body: str | None, file: BinaryIO | None) -> bytes:
    if body is not None and file is not None:
        raise click.UsageError("give BODY or --file, not both")
    if body is not None:
        return body.encode()
    if file is None and sys.stdin.isatty():
        raise click.UsageError("there is no body: give BODY, --file, or pipe it in")
    return (file if file is not None else sys.stdin.buffer).read()
