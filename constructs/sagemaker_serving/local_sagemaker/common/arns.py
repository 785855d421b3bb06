"""ARNs of SageMaker's resources: which kinds tell a name in lower case, and who says so."""

from __future__ import annotations

from typing import Literal, NamedTuple

from local_aws.arn import arn_in


def arn_of(account: str, region: str, kind: str, name: str) -> str:
    """``arn:<partition>:sagemaker:<region>:<account>:<kind>/<name>``, the name in the case that
    AWS gives it there; a name that is an ARN already is told in that case, too."""
    if name.startswith("arn:"):
        return written(name)
    return written(arn_in(region, "sagemaker", account, f"{kind}/{name}"))


def written(arn: str) -> str:
    """The ARN as AWS writes it: with the name in lower case, but for the kinds that keep it."""
    head, separator, name = arn.partition("/")
    known = CASES.get(head.rpartition(":")[2])
    return arn if known is not None and known.is_kept else f"{head}{separator}{name.lower()}"


class ArnCase(NamedTuple):
    """Whether the ARNs of a kind keep their name's case, and how that is known."""

    is_kept: bool
    certainty: Literal["reported", "inferred", "unverified"]
    source: str


CASES = {
    "endpoint": ArnCase(
        False,
        "reported",
        "prometheus-community/yet-another-cloudwatch-exporter#1178; a refusal that names it: "
        "philschmid/cdk-samples#2",
    ),
    "model": ArnCase(False, "inferred", "policies of amzn/rheoceros name it in lower case"),
    "transform-job": ArnCase(False, "inferred", "policies of amzn/rheoceros, as of models"),
    "endpoint-config": ArnCase(False, "unverified", "as of endpoints and models"),
    "compilation-job": ArnCase(False, "unverified", "as of transform jobs"),
    "inference-component": ArnCase(False, "unverified", "as of endpoints"),
    "model-package": ArnCase(
        True, "reported", "a refusal that names it: aws-samples/ml-edge-getting-started#18"
    ),
    "model-package-group": ArnCase(True, "inferred", "a package's ARN holds its group's name"),
    "inference-router": ArnCase(
        True, "reported", "botocore, CreateInferenceRouter: the name is case sensitive"
    ),
    "training-job": ArnCase(
        True, "reported", "ListTags refuses lower case: aws/sagemaker-python-sdk#4304"
    ),
    "hyper-parameter-tuning-job": ArnCase(
        True, "reported", "only its List action tells it in lower case: boto/boto3#4606"
    ),
}
"""By the kind in the ARN; the last two are not offered here. Nobody documents
it. Kinds that are not here are told in lower case, unverified."""
