"""Rules on containers that fetch a model by its id: from where, and in which time."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.catalog.model_ids import SHARED_BY, frameworks_of_image, model_id_variables
from sagemaker_serving.rules.engine import Finding, note, rule, warning
from sagemaker_serving.rules.facts import ABSENT, ContainerFacts, Fact, VariantFacts, framework_name

MODEL_IDS = "aws/deep-learning-containers e0ecede, docs; docs.djl.ai, LMI"


@rule(
    source=f"{MODEL_IDS}; aws/sagemaker-containers#246, aws/sagemaker-python-sdk#2626",
    example="network_isolation: true beside HF_MODEL_ID",
)
def model_id_offline(container: ContainerFacts) -> Iterator[Finding]:
    """A container that fetches its model by an id reaches the hub, and one that fetches its script
    reaches S3.

    Without a way to the internet it tries until its health check fails. An isolated one does not
    reach S3 either: SageMaker itself fetches the archive, and nothing else.
    """
    offline = container.offline
    if offline is None:
        return
    for fact in () if _has_artifact(container) else fetched(container):
        if not (fact.text or "/").startswith("/"):
            yield fact.says(
                f"is {fact.text!r}, which {offline[0]} cannot fetch; give the model as "
                f"{container.artifact.name}, or {offline[1]}"
            )
    script = container.environment.get("SAGEMAKER_SUBMIT_DIRECTORY", ABSENT)
    fetches = any(each in _FETCH_SCRIPTS for each in frameworks_named(container))
    if fetches and container.network_isolation.flag and script.shown.startswith("s3://"):
        yield script.says(
            f"is {script.shown!r}, which {offline[0]} cannot fetch; put the script into the "
            f"archive's code/ and write /opt/ml/model/code, or {offline[1]}"
        )


_FETCH_SCRIPTS = ("sklearn", "xgboost")
"""Frameworks whose toolkit, sagemaker-containers, fetches a script from S3 as it starts."""


@warning(
    source="huggingface/text-generation-inference#751, huggingface/optimum-neuron#535",
    example="HF_MODEL_ID: meta-llama/Llama-3.1-8B   # without a token",
)
def model_id_gated(container: ContainerFacts) -> Iterator[Finding]:
    """A model that its owner lets in only whom he knows is fetched with a token.

    "Cannot access gated repo … You must be authenticated to access it", and the health check fails.
    AWS's toolkit for Hugging Face reads HF_API_TOKEN, too; the servers for text do not. The guides'
    <REPLACE WITH YOUR TOKEN> is none (huggingface/hub-docs#1409).
    """
    if _has_artifact(container) or container.environment_fact.unknown:
        return
    of_toolkit = framework_name(container) in HUGGING_FACE
    read = (*_TOKENS, "HF_API_TOKEN") if of_toolkit else _TOKENS
    tokens = (container.environment.get(name, ABSENT) for name in read)
    has_token = any(token.given and not token.shown.startswith("<") for token in tokens)
    for fact in () if has_token else fetched(container):
        if (fact.text or "").startswith(_GATED):
            yield fact.finding(
                f"{fact.name} is {fact.text!r}, which Hugging Face gives only to whom its owner "
                "let in; ask for that on the model's page, and add HF_TOKEN, such as "
                '"{{resolve:secretsmanager:hf:SecretString:token}}", or give the model as '
                f"{container.artifact.name}"
            )


_GATED = ("meta-llama/", "google/gemma-")
"""Owners of models, or beginnings of their names, that people met as gated."""
_TOKENS = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
"""huggingface_hub's variables of a token."""


@warning(
    source=f"{MODEL_IDS}; databrickslabs/dolly#198, vllm-project/aibrix#766",
    example="environment: {OPTION_MODEL_ID: s3://models/words/}",
)
def model_id_s3(container: ContainerFacts) -> Iterator[Finding]:
    """A model in S3 is the artifact, and not what a variable names.

    Hugging Face's images take an id of the hub or a path: "Repo id must be in the form", which the
    model's page is neither. Those that read S3 do it by the role; that of an environment's model
    may read the artifact alone.
    """
    of_hub = any(each in (*HUGGING_FACE, *NEEDS_ID) for each in frameworks_named(container))
    of_file = container.artifact.name == "artifact"  # that of a template may be given the bucket
    for fact in fetched(container) if of_hub or of_file else ():
        if fact.shown.startswith("s3://"):
            why = "is no id of the hub, nor a path" if of_hub else "the role is not granted"
            yield fact.says(
                f"is {fact.shown!r}, which {why}; give it as {container.artifact.name}, with a "
                "slash at the end where it is a prefix"
            )
        elif of_hub and "://" in fact.shown:
            yield fact.says(
                f"is {fact.shown!r}, which is no id of the hub, nor a path; write the id, "
                f"{'/'.join(fact.shown.rstrip('/').split('/')[-2:])}"
            )


@rule(
    source="sagemaker-entrypoint.sh of huggingface/text-generation-inference and "
    "huggingface/text-embeddings-inference; aws/deep-learning-containers#3282, "
    "awslabs/llm-hosting-container#27",
    example="framework: huggingface-llm   # with an artifact, and no HF_MODEL_ID",
)
def model_id_archive(container: ContainerFacts) -> Iterator[Finding]:
    """Hugging Face's servers for text and embeddings are told where the archive's model is.

    Their containers end as they start without HF_MODEL_ID: "HF_MODEL_ID must be set".
    """
    if not _has_artifact(container) or container.environment_fact.unknown:
        return
    needs = any(each in NEEDS_ID for each in frameworks_named(container))
    if needs and "HF_MODEL_ID" not in container.environment:
        yield (container.artifact if container.artifact.given else container).finding(
            "HF_MODEL_ID is missing, without which the container ends as it starts; write "
            "HF_MODEL_ID: /opt/ml/model, where the archive is unpacked"
        )


NEEDS_ID = ("huggingface-llm", "huggingface-tei", "huggingface-tei-cpu")
"""Frameworks whose containers start with HF_MODEL_ID alone, which may be a path."""


@warning(
    source="aws/sagemaker-huggingface-inference-toolkit 2.6.0, mms_model_server.py; aws/"
    "deep-learning-containers#3282",
    example="HF_MODEL_ID: distilbert-base-uncased   # beside an artifact with code/",
)
def artifact_code_of_hub(container: ContainerFacts) -> Iterator[Finding]:
    """Hugging Face's images take a model from the hub or from their archive, with its code.

    With HF_MODEL_ID it serves what the hub has, and looks at neither the archive's files nor its
    ``code/``.
    """
    given = container.environment.get("HF_MODEL_ID")
    if given is None or container.compilation.given or not _has_artifact(container):
        return
    serve_ids = (*HUGGING_FACE, *NEEDS_ID)
    of_hugging_face = any(each in serve_ids for each in frameworks_named(container))
    if of_hugging_face and given.text is not None and not given.text.startswith("/"):
        shown = container.artifact.text or container.data_source.get("S3Uri").text
        yield given.says(
            f"is {given.text!r}, so that the container serves the hub's model and never looks into "
            f"{container.artifact.name if shown is None else repr(shown)}; remove one of them"
        )


HUGGING_FACE = ("huggingface", "huggingface-neuron", "huggingface-neuronx")
"""Frameworks whose images have the toolkit that reads ``HF_MODEL_ID`` itself."""


@note(
    source="aws/amazon-sagemaker-examples#3432, awslabs/llm-hosting-container#18; AWS SageMaker "
    "developer guide, large model inference",
    example="a variant with SM_VLLM_MODEL, and no ContainerStartupHealthCheckTimeoutInSeconds",
)
def model_start_time(variant: VariantFacts) -> Iterator[Finding]:
    """A server that fetches a large language model as it starts is given the time for it.

    "The primary container … did not pass the ping health check" is said of one that was still
    fetching. AWS documents no default; people report that some minutes are not enough.
    """
    time = variant.get("ContainerStartupHealthCheckTimeoutInSeconds")
    if time.given or variant.is_serverless or not variant.model.given:
        return
    for container in variant.containers:
        large = any(each.startswith(tuple(SHARED_BY)) for each in frameworks_named(container))
        for fact in fetched(container) if large else ():
            if not (fact.text or "/").startswith("/"):
                yield time.says(
                    f"is left out, and the container fetches {fact.text!r} ({fact.name}) before it "
                    "answers; give it the time, such as 1200, at most 3600"
                )


def model_id_variables_of(container: ContainerFacts) -> tuple[str, ...] | None:
    """The variables that name a model to the container's image; None where it needs its archive."""
    known_ones = [model_id_variables(each) for each in frameworks_named(container)]
    return next((each for each in known_ones if each is not None), None)


def fetched(container: ContainerFacts) -> Iterator[Fact]:
    """The variables that are set to a model which is not the archive's."""
    for name in model_id_variables_of(container) or ():
        fact = container.environment.get(name)
        if fact is not None and not (fact.text or "").startswith("/opt/ml/model"):
            yield fact


def frameworks_named(container: ContainerFacts) -> tuple[str, ...]:
    """Those whose image it is; none where the image is not one of AWS's, or not told."""
    if container.image_uri.given:
        return frameworks_of_image(container.image_uri.text or "")
    framework = container.framework.text
    return () if framework is None else (framework.lower(),)


def _has_artifact(container: ContainerFacts) -> bool:
    return container.artifact.given or container.data_source.given
