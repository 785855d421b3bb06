"""Writes a model's ``transition`` into the text of an environment file; all else stays as it is."""

from __future__ import annotations

import tempfile
from pathlib import Path

import yaml

from sagemaker_serving.errors import Mistake
from sagemaker_serving.spec.environment import Environment
from sagemaker_serving.spec.reading import read_environment
from sagemaker_serving.spec.transition import Transition
from sagemaker_serving.whole_files import write_whole

_FIELD = "transition"


def write_transition(path: Path, model: str, transition: Transition | None) -> None:
    """Makes ``path`` say ``transition`` of ``model``; None takes it out.

    Comments and layout stay. Raises `Mistake`, with the file as it was, where another file says
    it (``extends``), or the model is written so that this one place cannot be changed alone.
    """
    text = path.read_text(encoding="utf-8")
    changed = with_transition(text, model, transition)
    wanted = _with(read_environment(path).sound, model, transition)
    if changed is None or _read_beside(path, changed) != wanted:
        raise Mistake(
            f"{path}: the transition of {model} cannot be written here; write by hand, below "
            f"models.{model} of the file that has it: {shown(transition)}"
        )
    write_whole(path, changed)


def shown(transition: Transition | None) -> str:
    """The field as a line of a file has it."""
    if transition is None:
        return f"no {_FIELD}"
    data = transition.model_dump(exclude_defaults=True)
    flow = yaml.safe_dump(data, default_flow_style=True, sort_keys=False, width=10_000)
    return f"{_FIELD}: {flow.strip()}"


def with_transition(text: str, model: str, transition: Transition | None) -> str | None:
    """``text`` with another transition of ``model``; None where it has no fields of that model."""
    fields = yaml.compose(text, Loader=yaml.SafeLoader)
    for key in ("models", model):
        fields = next((value for name, value in _entries(fields) if name.value == key), None)
    entries = _entries(fields)
    if not isinstance(fields, yaml.MappingNode) or not entries:
        return None
    for name, value in entries:
        if name.value == _FIELD:
            return _replaced(text, name.start_mark.index, _end(value), transition)
    if transition is None:
        return text
    before = next((name for name, _ in entries if name.value == "variants"), entries[0][0])
    start = before.start_mark.index
    indent = "\n" + " " * before.start_mark.column
    between = ", " if fields.flow_style else indent
    return f"{text[:start]}{shown(transition)}{between}{text[start:]}"


def _replaced(text: str, start: int, end: int, transition: Transition | None) -> str:
    if transition is not None:
        return text[:start] + shown(transition) + text[end:]
    line = text.rfind("\n", 0, start) + 1
    if not text[line:start].strip():  # a line of its own goes as a whole
        after = text.find("\n", end)
        return text[:line] + ("" if after < 0 else text[after + 1 :])
    rest = text[end:].lstrip()
    if rest.startswith(","):
        return text[:start] + rest[1:].lstrip()
    return text[:start].rstrip().removesuffix(",") + text[end:]


def _entries(node: yaml.Node | None) -> list[tuple[yaml.Node, yaml.Node]]:
    return list(node.value) if isinstance(node, yaml.MappingNode) else []


def _end(node: yaml.Node) -> int:
    """Where a value ends; a block's own mark lies behind the comments that follow it."""
    if isinstance(node, yaml.MappingNode) and node.value and not node.flow_style:
        return _end(node.value[-1][1])
    return int(node.end_mark.index)


def _with(environment: Environment, model: str, transition: Transition | None) -> Environment:
    changed = environment.models[model].model_copy(update={_FIELD: transition})
    return environment.model_copy(update={"models": {**environment.models, model: changed}})


def _read_beside(path: Path, text: str) -> Environment | None:
    """What ``text`` means in the folder of ``path``, where what it extends is found."""
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=path.parent, prefix="_", suffix=".yaml"
    ) as file:
        file.write(text)
        file.flush()
        return read_environment(Path(file.name)).environment
