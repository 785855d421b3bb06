"""Rules on batches for SageMaker's built-in algorithms: the types that they read and answer."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.rules.batch.records import media_type
from sagemaker_serving.rules.container.image_support import aws_image
from sagemaker_serving.rules.engine import Finding, warning
from sagemaker_serving.rules.facts import TransformFacts

_GUIDE = "AWS SageMaker developer guide, common data formats for inference, and the pages that it "
_JSON = ("application/json", "application/jsonlines")
_CSV = ("text/csv",)


@warning(
    source=f"{_GUIDE}names; aws/amazon-sagemaker-examples#821, aws/sagemaker-xgboost-container#390",
    example="ContentType: application/json   # of XGBoost",
)
def transform_algorithm(transform: TransformFacts) -> Iterator[Finding]:
    """A built-in algorithm is sent a type that it reads, and asked for one that it answers.

    XGBoost reads no JSON, and factorization machines read no CSV: status 415. Factorization
    machines, linear learner, k-means, PCA and NTM answer no CSV. A join or a filter then fails:
    "Failed to parse output from the algorithm as CSV". XGBoost with a script of one's own reads
    what that does.
    """
    container = transform.container
    image = None if container is None else aws_image(container)
    if container is None or image is None or image.repository not in _READS | _ANSWERS:
        return
    variables = (container.environment_fact, transform.environment)
    if any(each.unknown or each.get(_SCRIPT).given for each in variables):
        return
    for fact, unknown, does in (
        (transform.content_type, _READS, "read"),
        (transform.accept, _ANSWERS, "answer"),
    ):
        refused, instead = unknown.get(image.repository, ((), ""))
        if media_type(fact) in refused:
            yield fact.says(
                f"is {fact.text!r}, which {image.repository} does not {does}; use {instead}"
            )


_SCRIPT = "SAGEMAKER_PROGRAM"
_READS: dict[str, tuple[tuple[str, ...], str]] = {
    **dict.fromkeys(("sagemaker-xgboost", "xgboost"), (_JSON, "text/csv or text/libsvm")),
    "factorization-machines": (_CSV, "application/json or application/x-recordio-protobuf"),
}
"""By repository, types that an algorithm does not read, and what it does."""
_ANSWERS: dict[str, tuple[tuple[str, ...], str]] = dict.fromkeys(
    ("linear-learner", "kmeans", "pca", "ntm", "factorization-machines"),
    (_CSV, "application/jsonlines, with AssembleWith: Line"),
)
"""By repository, types that an algorithm does not answer, and what it does."""
