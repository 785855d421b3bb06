"""Rules on the records of a batch pipeline: each reaches the model, and its answer is counted."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.facts import ArtifactFacts, Fact, TransformFacts

_OWN = "this project's batch pipeline: sagemaker-serving docs batch"
_PARSER = "tensorflow/serving, util/json_tensor.cc at 2.17.1 and 2.20.0"

_JSON = ("application/json", "application/jsonlines", "application/jsons")
_UNCOUNTED = ("image/", "audio/", "video/", "font/", "model/")
_UNCOUNTED_TYPES = (
    *("application/octet-stream", "application/zip", "application/gzip", "application/pdf"),
    *("application/x-npz", "application/x-protobuf", "application/protobuf"),
)


@warning(source=_PARSER, example="split_type: Line\ncontent_type: application/jsonlines")
def batch_strategy(transform: TransformFacts) -> Iterator[Finding]:
    """Lines of JSON for TensorFlow say with ``batch_strategy`` whether they are whole requests.

    Lines that are instances go many in a payload. Of lines such as ``{"instances": [1.0]}`` a
    payload takes one: TensorFlow Serving up to 2.17 refuses several, a later one answers the
    first. Left out, SageMaker puts many into one.
    """
    container = transform.container
    if container is None or (container.framework.text or "").lower() != "tensorflow":
        return
    by_line = transform.split_type.text == "Line"
    filtered = transform.input_filter.given and transform.input_filter.text != "$"
    is_open = not transform.batch_strategy.given and not filtered
    if by_line and is_open and media_type(transform.content_type) in _JSON:
        yield transform.split_type.finding(
            "split_type is 'Line' and batch_strategy is not said; write MultiRecord for lines that "
            'are instances, such as {"x": 1.0}, and SingleRecord for lines that are whole '
            'requests, such as {"instances": [1.0]}'
        )


@warning(source=_OWN, example="split_type: Line\naccept: text/csv   # without assemble_with: Line")
def batch_countable(transform: TransformFacts) -> Iterator[Finding]:
    """Answers to records can be counted: they are JSON, text in lines, NumPy's format or RecordIO.

    An output whose answers cannot be counted is not trusted. Its object is cut down to single
    records, in more jobs, or quarantined if it is large.
    """
    split = transform.split_type.text
    if transform.container is None or split in (None, "None"):
        return
    accept = media_type(transform.accept)
    if accept.startswith(_UNCOUNTED) or accept in _UNCOUNTED_TYPES:
        yield transform.accept.finding(
            f"accept is {transform.accept.text!r} and split_type is {split!r}; such answers in one "
            "output cannot be counted; leave split_type out and give each record an object of its "
            "own, or accept application/json, text/csv, application/x-npy or RecordIO"
        )
    assembled = transform.assemble_with
    is_text = accept.startswith("text/")
    if is_text and assembled.text != "Line" and not assembled.unknown:
        yield assembled.or_else(transform.accept).finding(
            f"accept is {transform.accept.text!r} and assemble_with is "
            f"{'None' if assembled.text is None else assembled.text!r}; answers that run into one "
            "another cannot be counted; write assemble_with: Line"
        )


@rule(
    source="aws/sagemaker-tensorflow-serving-container#154; tensorflowServing.js in "
    "aws/deep-learning-containers e0ecede",
    example="accept: text/csv\njoin_source: Input   # of a SavedModel without code",
)
def transform_answers(artifact: ArtifactFacts) -> Iterator[Finding]:
    """What reads a model's answers as CSV, a join or a filter, gets CSV.

    TensorFlow Serving answers JSON, whatever Accept says, unless code writes another. Its records
    cannot be joined then, and the objects fail.
    """
    transform, contents = artifact.transform, artifact.served_by("tensorflow")
    if transform is None or contents is None or artifact.own_image:
        return
    reads = [
        fact
        for fact in (transform.join_source, transform.output_filter)
        if fact.text not in (None, "None", "$")
    ]
    if reads and media_type(transform.accept) == "text/csv" and contents.script is None:
        yield transform.accept.finding(
            f"accept is {transform.accept.text!r}, and TensorFlow Serving answers JSON alone; "
            f"{reads[0].name} reads it as CSV, and fails; write an output_handler in "
            "code/inference.py that answers CSV, or send and accept application/jsonlines"
        )


def media_type(fact: Fact) -> str:
    """A content type without its parameters, in lower case; empty for none, and unknown ones."""
    return (fact.text or "").partition(";")[0].strip().lower()
