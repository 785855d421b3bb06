"""Rules on transform jobs."""

from __future__ import annotations

from collections.abc import Iterator

from local_aws.s3_location import S3Location
from local_aws.template import Unknown
from sagemaker_serving.catalog.json_path import InvalidJsonPath, JsonPath, unexpected_character
from sagemaker_serving.catalog.servers import request_limit
from sagemaker_serving.rules.batch.records import media_type
from sagemaker_serving.rules.container.image_support import aws_image
from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.facts import Fact, TransformFacts, framework_name
from sagemaker_serving.rules.facts.numbers import whole_number

_SOURCE = "botocore CreateTransformJob"
_GUIDE = "AWS SageMaker developer guide, batch transform"
_DEFAULT_PAYLOAD_MB = 6


@rule(
    source=_SOURCE,
    example="max_payload_in_mb: 500",
    shapes=(
        "TransformInstanceCount",
        "MaxPayloadInMB",
        "MaxConcurrentTransforms",
        "InvocationsTimeoutInSeconds",
        "InvocationsMaxRetries",
    ),
)
def transform_ranges(transform: TransformFacts) -> Iterator[Finding]:
    """A transform job's numbers are ones that the API takes.

    The service model has no upper bound of the payload; its text says 100 MB.
    """
    payload = transform.max_payload_in_mb
    if payload.number is not None and payload.number > 100:
        yield payload.says(f"is {payload.value}; it must be 0 to 100; use 100")


@rule(refused=True, source=_SOURCE, example="max_payload_in_mb: 50, three at once")
def transform_memory(transform: TransformFacts) -> Iterator[Finding]:
    """Payload in MB times concurrent transforms is at most 100.

    The default payload of 6 MB counts too.
    """
    payload = transform.max_payload_in_mb.number
    concurrent = transform.max_concurrent_transforms.number
    if concurrent is None:
        return
    megabytes = _DEFAULT_PAYLOAD_MB if payload is None else payload
    if megabytes * concurrent > 100:
        yield transform.max_concurrent_transforms.finding(
            f"{transform.max_payload_in_mb.name} {megabytes} times "
            f"{transform.max_concurrent_transforms.name} {concurrent} is {megabytes * concurrent} "
            f"MB; a job takes 100; use at most {int(100 // megabytes)} concurrent transforms or a "
            "smaller payload"
        )


@rule(source=_SOURCE, example="batch_strategy: MultiRecord   # unsplit")
def transform_strategy(transform: TransformFacts) -> Iterator[Finding]:
    """A batch strategy needs a split: without one the whole object is the request.

    The strategy says how records share a request, and an unsplit object has no records.
    """
    split = transform.split_type.text if transform.split_type.given else None
    if transform.split_type.given and split is None:
        return
    if transform.batch_strategy.text is not None and split in (None, "None"):
        yield transform.batch_strategy.says(
            f"is {transform.batch_strategy.text!r} but {transform.split_type.name} is None, so "
            f"each object is one request; add {transform.split_type.name}: Line, RecordIO or "
            "TFRecord, or remove it"
        )


@warning(
    source="huggingface/notebooks#227; decoder.py of sagemaker-inference-toolkit and of "
    "sagemaker-huggingface-inference-toolkit",
    example="SplitType: Line\nContentType: application/json   # of a Hugging Face model",
)
def transform_json_lines(transform: TransformFacts) -> Iterator[Finding]:
    """Lines of JSON go one by one to a container that reads its request as one document.

    Those of Hugging Face, PyTorch, MXNet and scikit-learn do, but with a handler of one's own. Of
    several lines they say "Extra data: line 2 column 1". Left out, SageMaker puts many into one.
    """
    container = transform.container
    strategy = transform.batch_strategy
    if container is None or framework_name(container) not in _ONE_DOCUMENT:
        return
    by_line = transform.split_type.text == "Line"
    together = strategy.text == "MultiRecord" or not strategy.given
    if by_line and together and media_type(transform.content_type) == "application/json":
        yield strategy.or_else(transform.split_type).finding(
            f"{transform.content_type.name} is 'application/json', and a payload of several lines "
            f"is no document of it; write {strategy.name}: SingleRecord"
        )


_ONE_DOCUMENT = ("huggingface", "pytorch", "mxnet", "sklearn")
"""Frameworks whose images' toolkits call json.loads on a request of application/json."""


@rule(
    source="botocore ContentType, Accept",
    example='content_type: ""',
    shapes=("ContentType", "Accept"),
)
def transform_types(transform: TransformFacts) -> Iterator[Finding]:
    """The types of a job's input and output are on one line, and not blank.

    An empty one would be sent to the model as it is.
    """
    for fact in (transform.content_type, transform.accept):
        text = fact.text
        if text is not None and (not text.strip() or "\n" in text):
            yield fact.says(
                f"is {text[:40]!r}; it must be a type on one line, such as application/jsonlines; "
                "give one, or leave it out"
            )


@rule(
    source=_SOURCE,
    example="SplitType: Lines",
    shapes=("SplitType", "AssemblyType", "BatchStrategy", "CompressionType", "JoinSource"),
    silent={"constructs": "an execution says which"},
)
def transform_choices(transform: TransformFacts) -> Iterator[Finding]:
    """A transform job's options are among those that the API takes.

    The service model has four kinds of input; a transform job takes S3Prefix and ManifestFile.
    """
    kind = transform.data_type
    if kind.text is not None and kind.text not in ("S3Prefix", "ManifestFile"):
        yield kind.says(f"is {kind.text!r}; it must be S3Prefix, ManifestFile; use S3Prefix")


@rule(
    source=f"{_GUIDE}; aws/sagemaker-python-sdk#1112, aws/aws-sdk#184",
    example='output_filter: "$[0:2,246:]"',
)
def transform_filters(transform: TransformFacts) -> Iterator[Finding]:
    """A filter is a JSONPath of at most 63 characters, of the part that SageMaker has.

    That is names of letters and digits, indexes, ``*``, and one range alone; of CSV, no names.
    CreateTransformJob refuses other characters. Another path fails the job once it runs.
    """
    for fact, type_ in (
        (transform.input_filter, transform.content_type),
        (transform.output_filter, transform.accept),
    ):
        text, is_csv = fact.text, media_type(type_) == "text/csv"
        if text is None:
            continue
        if len(text) > 63 or not text.startswith("$"):
            yield fact.says(
                f"is {text!r} ({len(text)} characters); it must be a JSONPath from $, of at most "
                "63; write it as $.field or $[0:3]"
            )
            continue
        strange = unexpected_character(text, is_csv=is_csv)
        if strange is not None:
            kind = "indexes of columns, as $[0,2] or $[1:]" if is_csv else "letters and digits"
            yield fact.says(
                f"is {text!r}; SageMaker takes no {strange!r} in the path of a filter of "
                f"{'CSV' if is_csv else 'JSON'}; use {kind}"
            )
            continue
        try:
            JsonPath.parse(text)
        except InvalidJsonPath as error:
            ranges = "list single indexes, or keep one range" if ":" in text else "write it so"
            yield fact.says(f"is {text!r}; {error.why}; {ranges}")


@rule(refused=True, source=_GUIDE, example="output_filter: $.class   # with accept: image/png")
def transform_data_processing(transform: TransformFacts) -> Iterator[Finding]:
    """Filters and the join look into JSON and CSV, of lines or of whole objects.

    An input filter depends on the input's type, an output filter on the output's. For a join both
    types have to be the same, and so have split_type and assemble_with. CSV has to be split, and
    assembled, by line.
    """
    joins = transform.join_source.text == "Input"
    filters = [_filters(transform.input_filter), _filters(transform.output_filter)]
    if not joins and not any(filters):
        return
    if transform.split_type.text in ("RecordIO", "TFRecord"):
        yield transform.split_type.says(
            f"is {transform.split_type.text!r}; filters and the join know JSON and CSV only; use "
            "Line, or remove them"
        )
        return
    sides = (
        (filters[0] or joins, transform.content_type, transform.split_type),
        (filters[1] or joins, transform.accept, transform.assemble_with),
    )
    for wanted, type_, cut in sides:
        yield from _processed(transform, type_, cut) if wanted else ()
    if joins:
        types = [media_type(transform.content_type), media_type(transform.accept)]
        if types[0] != types[1] and set(types) <= set(_KNOWN_TYPES):
            yield from _alike(transform, transform.content_type, transform.accept)
        if not _runs_together(transform):
            yield from _alike(transform, transform.split_type, transform.assemble_with)


_KNOWN_TYPES = ("application/json", "application/jsonlines", "text/csv")


def _filters(fact: Fact) -> bool:
    return fact.given and fact.text != "$"


def _processed(transform: TransformFacts, type_: Fact, cut: Fact) -> Iterator[Finding]:
    """One side of a job whose data is looked into: its type, and how it is cut."""
    if type_.unknown:
        return
    known = media_type(type_)
    if known not in _KNOWN_TYPES:
        yield (type_ if type_.given else transform).finding(
            f"{type_.name} is {repr(type_.value) if type_.given else 'missing'}; filters and the "
            f"join know {', '.join(_KNOWN_TYPES)}; say which it is"
        )
    elif known == "text/csv" and cut.text != "Line" and not cut.unknown:
        yield (cut if cut.given else transform).finding(
            f"{cut.name} is {cut.text!r} and {type_.name} is 'text/csv'; filters and the join read "
            "CSV by the line; use Line"
        )


def _alike(transform: TransformFacts, one: Fact, other: Fact) -> Iterator[Finding]:
    if one.unknown or other.unknown:
        return
    first, second = ("None" if fact.value is None else fact.value for fact in (one, other))
    if first != second:
        yield (other if other.given else transform).finding(
            f"{transform.join_source.name} is 'Input', {one.name} is {first!r} and {other.name} is "
            f"{second!r}; the join needs both to be the same; set them so"
        )


@rule(refused=True, source=_GUIDE, example="OutputFilter: $.SageMakerOutput   # no JoinSource")
def transform_join(transform: TransformFacts) -> Iterator[Finding]:
    """A join assembles the lines that it splits, and its names are there with a join alone.

    Otherwise nothing marks the end of a record, or a filter finds nothing and its objects fail.
    """
    if _runs_together(transform):
        yield transform.join_source.says(
            "is 'Input' and records are split by line; without AssembleWith: Line the joined "
            "records run into one another; add it"
        )
    joined = transform.join_source.text == "Input"
    if joined or transform.join_source.unknown:
        return
    for name in ("SageMakerOutput", "SageMakerInput"):
        if name in (transform.output_filter.text or ""):
            yield transform.output_filter.says(
                f"is {transform.output_filter.text!r}; {name} is what a join adds, and there is "
                "none; join the input, or filter by what the model answers"
            )


def _runs_together(transform: TransformFacts) -> bool:
    """Whether lines are joined that nothing puts between; what `_processed` says of CSV apart."""
    assembled = transform.assemble_with
    fine = assembled.unknown or assembled.text == "Line"
    lines = transform.join_source.text == "Input" and transform.split_type.text == "Line"
    return lines and not fine and media_type(transform.accept) != "text/csv"


@rule(
    source=_SOURCE,
    example="S3Uri: bucket/prefix/",
    silent={"constructs": "an execution says where"},
)
def transform_location(transform: TransformFacts) -> Iterator[Finding]:
    """A job reads from and writes to ``s3://bucket/…``; a manifest is one object.

    A manifest is a JSON list: ``[{"prefix": "s3://bucket/path/"}, "first", "second"]``.
    """
    for fact in (transform.s3_uri, transform.output_path):
        text = fact.text
        if text is not None and S3Location.find(text) is None:
            yield fact.says(f"is {text!r}; it must be s3://bucket/prefix; write it so")
    uri = transform.s3_uri.text
    if transform.data_type.text == "ManifestFile" and uri is not None and uri.endswith("/"):
        yield transform.s3_uri.says(
            f"is {uri!r} and {transform.data_type.name} is 'ManifestFile'; a manifest is one "
            "object, not a prefix; name the object"
        )


@warning(
    source="aws/sagemaker-python-sdk#1106 and #3557; botocore S3DataSource.S3Uri",
    example="S3Uri: s3://bucket/scores   # with S3OutputPath: s3://bucket/scores-out/",
    silent={"constructs": "an execution says where"},
)
def transform_output_apart(transform: TransformFacts) -> Iterator[Finding]:
    """A job's output does not lie where its input is read from.

    A prefix takes every key that begins with it: ``scores`` takes ``scores-out/`` too. So this job,
    or the next, reads what a job wrote. With a slash at its end it takes one folder.
    """
    source, output = _pieces(transform.s3_uri), _pieces(transform.output_path)
    if not source or not output or transform.data_type.text not in ("S3Prefix", None):
        return
    *before, last = source
    if transform.data_type.unknown or not isinstance(last, str):
        return
    if output[: len(before)] != before or len(output) == len(before):
        return
    beside = output[len(before)]
    if isinstance(beside, str) and f"{beside}/".startswith(last) and last != "s3://":
        yield transform.output_path.says(
            f"is below {transform.s3_uri.name}, a prefix that takes every key which begins with "
            f"it{'' if last.endswith('/') else ', without a slash too'}; the output is read as "
            "input by the next job; write it beside, such as s3://<bucket>/in/ and "
            "s3://<bucket>/out/"
        )


def _pieces(fact: Fact) -> list[str | Unknown]:
    """A text as its certain and its unknown parts; an unknown part is equal to those of one name.

    Empty where nothing is known of it.
    """
    if fact.text is not None:
        return [fact.text]
    pieces = fact.value.pieces if fact.unknown else ()
    return [] if any(isinstance(each, Unknown) and not each.name for each in pieces) else [*pieces]


@warning(
    source="aws/sagemaker-python-sdk#1882; pytorch/serve, ConfigManager.java; "
    "aws/sagemaker-xgboost-container, algorithm_mode/serve.py",
    example="max_payload_in_mb: 50   # of a PyTorch model",
)
def transform_payload_server(transform: TransformFacts) -> Iterator[Finding]:
    """A job's largest payload is one that the image's server takes.

    The server has a limit of its own, and answers 413 above it. TorchServe's is 6,553,500 bytes.
    """
    payload, container = transform.max_payload_in_mb, transform.container
    limit = request_limit(aws_image(container)) if container is not None else None
    if payload.number is None or container is None or limit is None:
        return
    if container.environment_fact.unknown:
        return
    given = {**container.environment, **dict(transform.environment.entries())}
    own = given.get(limit.variable)
    taken = limit.largest if own is None else whole_number(str(own.value))
    if limit.only_without is not None and limit.only_without in given:
        return
    if taken is not None and payload.number * 1_000_000 > taken:
        response = limit.response_variable
        yield payload.finding(
            f"{payload.name} is {payload.value}; {limit.server} takes requests of {taken:,} bytes, "
            f"and answers 413 to larger ones; set {limit.variable}: "
            f'"{int(payload.number) << 20}" in the model\'s environment'
            + (f", and {response} for answers as large" if response is not None else "")
            + f", or use {taken // 1_000_000}"
        )
