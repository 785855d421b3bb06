"""Rules on ``code/inference.py``: it parses, and defines what its container calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sagemaker_serving.archive import Script
from sagemaker_serving.errors import Severity
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts import ArtifactFacts

_TFS = "aws/deep-learning-containers e0ecede, TensorFlow python_service.py"
_CONTAINERS = f"{_TFS}; aws/sagemaker-inference-toolkit, transformer.py"
_SCRIPT = "code/inference.py"
_NEO_COMPILED = ("onnx", "xgboost", "keras")


@dataclass(frozen=True, kw_only=True)
class _Contract:
    """What a container calls: functions by name with the numbers of arguments it may give.

    ``choices`` are sets of which one has to be whole; ``alone`` names a
    function that excludes the others.
    """

    container: str
    arguments: Mapping[str, tuple[int, ...]]
    choices: tuple[tuple[str, ...], ...]
    alone: str | None = None


_TENSORFLOW = _Contract(
    container="the TensorFlow Serving container",
    arguments={"handler": (2,), "input_handler": (2,), "output_handler": (2,)},
    choices=(("handler",), ("input_handler", "output_handler")),
)
_TOOLKIT_ARGUMENTS = {
    "model_fn": (1, 2),
    "input_fn": (2, 3),
    "predict_fn": (2, 3),
    "output_fn": (2, 3),
    "transform_fn": (4, 5),
}
_TOOLKIT = _Contract(
    container="the container",
    arguments=_TOOLKIT_ARGUMENTS,
    choices=tuple((name,) for name in _TOOLKIT_ARGUMENTS),
    alone="transform_fn",
)
_NEO = _Contract(
    container="the Neo container",
    arguments={"neo_preprocess": (2,), "neo_postprocess": (1,)},
    choices=(("neo_preprocess", "neo_postprocess"),),
)


@rule("handler-parses", source="Python's own parser", example="code/inference.py: def handler(:")
def handler_parses(facts: ArtifactFacts) -> Iterator[Finding]:
    """``code/inference.py`` is Python.

    The worker fails at its import, again and again.
    """
    script = _script(facts)
    if script is not None and script.error is not None:
        line = f" line {script.error_line}" if script.error_line is not None else ""
        yield _says(facts, f"{_SCRIPT}{line} does not parse: {script.error}; correct it")


@rule("handler-functions", source=_CONTAINERS, example="input_handler without output_handler")
def handler_functions(facts: ArtifactFacts) -> Iterator[Finding]:
    """``code/inference.py`` defines the functions that its container calls, all of them.

    Without them the container's worker does not start, or the script does nothing.
    """
    script, contract = _script(facts), _contract(facts)
    if script is None or contract is None or script.error is not None or script.open_ended:
        return
    if not any(all(map(script.defines, choice)) for choice in contract.choices):
        wanted = " or ".join(" + ".join(choice) for choice in contract.choices)
        found = ", ".join(script.functions) or "none"
        yield _says(
            facts,
            f"{_SCRIPT} defines none of what {contract.container} calls: {wanted} "
            f"(its functions: {found}); define them at its top level",
        )


@rule(
    "handler-transform-alone",
    source="aws/sagemaker-inference-toolkit, transformer.py",
    example="transform_fn beside predict_fn",
)
def handler_transform_alone(facts: ArtifactFacts) -> Iterator[Finding]:
    """``transform_fn`` replaces input_fn, predict_fn and output_fn, and cannot stand beside them.

    The toolkit refuses to start with both.
    """
    script, contract = _script(facts), _contract(facts)
    if script is None or contract is None or contract.alone is None:
        return
    others = [name for name in ("input_fn", "predict_fn", "output_fn") if script.defines(name)]
    if script.defines(contract.alone) and others:
        yield _says(
            facts,
            f"{_SCRIPT} defines {contract.alone} and {others[0]}; the container refuses both "
            "together: keep one way",
        )


@rule("handler-arguments", source=_CONTAINERS, example="def handler(data):")
def handler_arguments(facts: ArtifactFacts) -> Iterator[Finding]:
    """The functions of ``code/inference.py`` take as many arguments as they are called with.

    Otherwise the container's call fails at the first request.
    """
    script, contract = _script(facts), _contract(facts)
    if script is None or contract is None:
        return
    for name, counts in contract.arguments.items():
        function = script.functions.get(name)
        if function is not None and not any(map(function.takes, counts)):
            wanted = " or ".join(map(str, counts))
            yield _says(
                facts,
                f"{_SCRIPT}:{function.line} {name} cannot be called with {wanted} "
                f"argument{'' if wanted == '1' else 's'}, as {contract.container} does; "
                f"write def {name}({_ARGUMENTS[name]}):",
            )


@rule(
    "handler-place",
    source=_CONTAINERS,
    severity=Severity.WARNING,
    example="inference.py at the top",
)
def handler_place(facts: ArtifactFacts) -> Iterator[Finding]:
    """``inference.py`` lies in ``code/``.

    The container looks for it in code/ only.
    """
    contents = facts.contents
    if contents is None or facts.own_image or _SCRIPT in contents.files:
        return
    if facts.served_by("ray-serve"):
        return  # an application may import it from anywhere
    found = [name for name in contents.files if name.rpartition("/")[2] == "inference.py"]
    if found and not found[0].startswith("code/lib/"):
        yield _says(facts, f"{found[0]} would never be called; move it to {_SCRIPT}")


def _script(facts: ArtifactFacts) -> Script | None:
    return facts.contents.script if facts.contents is not None else None


def _contract(facts: ArtifactFacts) -> _Contract | None:
    framework = facts.image_framework
    if facts.compiled and (framework in _NEO_COMPILED or facts.target_device == "ml_inf1"):
        return _NEO
    if framework == "tensorflow":
        return _TENSORFLOW
    return _TOOLKIT if framework in ("pytorch", "mxnet") else None


def _says(facts: ArtifactFacts, sentence: str) -> Finding:
    return facts.artifact.where, f"artifact is {facts.artifact.text!r}; {sentence}"


_ARGUMENTS = {
    "handler": "data, context",
    "input_handler": "data, context",
    "output_handler": "response, context",
    "model_fn": "model_dir",
    "input_fn": "body, content_type",
    "predict_fn": "data, model",
    "output_fn": "prediction, accept",
    "transform_fn": "model, data, content_type, accept",
    "neo_preprocess": "payload, content_type",
    "neo_postprocess": "result",
}
