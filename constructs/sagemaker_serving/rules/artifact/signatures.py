"""Rules on a model's signatures: there is one to ask, and its inputs can be sent."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.archive.saved_model import JSON_DTYPES, SavedModel
from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.facts import ArtifactFacts, ContainerFacts
from sagemaker_serving.rules.facts.numbers import whole_number
from sagemaker_serving.spec.batching import BATCHING_VARIABLES

_BATCHING = "tensorflow/serving batching README"
_DEFAULT_SIZE = 8


_PREDICT = "tensorflow/tensorflow#69307; tensorflow/serving, predict_util.cc"
_JSON = "tensorflow/serving, util/json_tensor.cc"
_DEFAULT = "serving_default"


@rule(source=_PREDICT, example="tf.saved_model.save(tf.Module(), 'm/1')")
def artifact_signature(facts: ArtifactFacts) -> Iterator[Finding]:
    """A SavedModel has a signature, which predictions ask.

    TensorFlow saves none for a model that was never called, and for a module without
    ``signatures=``. The server loads it, and each request fails. With code this only warns
    (artifact-signature-default), since code may answer without a model.
    """
    for path, model in _models(facts):
        if not model.signatures and not _has_handler(facts):
            yield facts.says(
                f"{path} has no signature, so that each request fails: 'Serving signature name: "
                f'"{_DEFAULT}" not found in signature def\'; {_EXPORT}'
            )


@warning(source=_PREDICT, example="signatures={'length': …}   # and no serving_default")
def artifact_signature_default(facts: ArtifactFacts) -> Iterator[Finding]:
    """The signature that a request names none of is there: ``serving_default``.

    Without it each request has to name another, which CSV and a batch of records cannot.
    """
    for path, model in _models(facts):
        if model.signatures and _DEFAULT not in model.signatures:
            first = next(iter(model.signatures))
            yield facts.says(
                f"{path} has no signature {_DEFAULT!r}, so that each request fails which names "
                f"none of {', '.join(model.signatures)}; export it under that name, or send "
                f'{{"signature_name": "{first}", …}} in every request'
            )
        elif not model.signatures and _has_handler(facts):
            yield facts.says(
                f"{path} has no signature, so that what code asks of it fails; {_EXPORT}"
            )


@rule(source=_JSON, example="an input of dtype resource")
def artifact_signature_inputs(facts: ArtifactFacts) -> Iterator[Finding]:
    """The inputs of the signature that is asked are of types which a request can carry.

    JSON and CSV become floats, integers, text and bool. Code may send other types over gRPC, but
    for resources and variants, which live in a session.
    """
    for path, model in _models(facts):
        asked = [_DEFAULT] if _DEFAULT in model.signatures else list(model.signatures)
        for name in asked:
            for key, tensor in model.signatures[name].inputs.items():
                if tensor.dtype in JSON_DTYPES or tensor.dtype == "unknown":
                    continue
                internal = tensor.dtype in ("resource", "variant")
                if internal or not _has_handler(facts):
                    yield facts.says(
                        f"input {key!r} of signature {name!r} in {path} is of dtype "
                        f"{tensor.dtype}, which no {'request' if internal else 'JSON or CSV'} "
                        f"carries; export a function that takes "
                        f"{'tensors' if internal else 'float32, and casts it'}"
                    )


_EXPORT = (
    'export it with one: model.export("mymodel/1") in Keras, or tf.saved_model.save(module, '
    '"mymodel/1", signatures=module.f.get_concrete_function(tf.TensorSpec(…)))'
)


def _models(facts: ArtifactFacts) -> Iterator[tuple[str, SavedModel]]:
    contents = facts.served_by("tensorflow")
    for path, model in contents.saved_models.items() if contents is not None else ():
        if model is not None and "serve" in model.tags:
            yield path, model


def _has_handler(facts: ArtifactFacts) -> bool:
    return facts.contents is not None and facts.contents.script is not None


@rule(source=_BATCHING, example="shape (1, 8, 8) and max_batch_size: 16")
def batching_signature(facts: ArtifactFacts) -> Iterator[Finding]:
    """With batching on, every input's first dimension is open, or as large as a batch.

    The server joins requests along the first dimension; a graph whose first
    dimension is fixed refuses what was joined. Unknown ranks and empty shapes
    pass unchecked.
    """
    contents = facts.served_by("tensorflow")
    size = _largest_batch(facts.container)
    if contents is None or size is None:
        return
    for path, model in contents.saved_models.items():
        for name, signature in (model.signatures if model is not None else {}).items():
            for key, tensor in signature.inputs.items():
                first = tensor.shape[0] if tensor.shape else None
                if first is not None and first < size:
                    yield facts.artifact.finding(
                        f"batching is on with max_batch_size {size}, and input {key!r} of "
                        f"signature {name!r} in {path} takes exactly {first} at a time; export the "
                        f"model with an open first dimension (None), use max_batch_size {first}, "
                        "or turn batching off"
                    )


def _largest_batch(container: ContainerFacts) -> int | None:
    """The largest batch that the server makes; None when batching is off or not told."""
    enabled = container.batching.get("enabled")
    if container.batching:
        if enabled is not None and enabled.value is False:
            return None
        given = container.batching.get("max_batch_size")
    else:
        switch = container.environment.get(BATCHING_VARIABLES["enabled"])
        if switch is None or str(switch.value).lower() != "true":
            return None
        given = container.environment.get(BATCHING_VARIABLES["max_batch_size"])
    if given is None or given.value is None:
        return _DEFAULT_SIZE
    return whole_number(str(given.value))
