"""The file: its text, with comments that teach what can be added, and writing it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import yaml

from sagemaker_serving.archive import shown_inputs
from sagemaker_serving.archive.handlers import script_variables
from sagemaker_serving.cli.completing import FOLDER
from sagemaker_serving.cli.init.draft import Draft
from sagemaker_serving.cli.init.request import inputs_of, takes_examples, takes_parts
from sagemaker_serving.cli.init.serving import default_host
from sagemaker_serving.errors import Mistake, Problem, Severity
from sagemaker_serving.rules import check_environment
from sagemaker_serving.spec import environment_schema, read_environment
from sagemaker_serving.whole_files import write_whole

_WIDTH = 48
_SCHEMA = FOLDER / "environment.schema.json"


def write(path: Path, draft: Draft, today: date) -> list[Problem]:
    """Writes ``draft``, and beside it the schema that editors complete it by, if there is none.

    Gives the warnings of check. Raises `Mistake` with all its errors; then everything is as it
    was.
    """
    before = path.read_text(encoding="utf-8") if path.exists() else None
    path.parent.mkdir(exist_ok=True)
    try:
        write_whole(path, text_of(draft))
        found = check_environment(read_environment(path), today=today)
        errors = [problem for problem in found if problem.severity is Severity.ERROR]
        if errors:
            told = "\n".join(f"{problem.message} [{problem.rule}]" for problem in errors)
            raise Mistake(f"{path} is not written, since check would name:\n{told}")
    except BaseException:
        if before is None:
            path.unlink(missing_ok=True)
        else:
            write_whole(path, before)
        raise
    if not _SCHEMA.exists():
        write_whole(_SCHEMA, environment_schema())
    return [problem for problem in found if problem.severity is Severity.WARNING]


def text_of(draft: Draft) -> str:
    """The text; every line that is commented out can be taken in as it stands."""
    lines = _lines(draft)
    return "".join(f"{line:<{_WIDTH}}  # {tip}\n" if tip else f"{line}\n" for line, tip in lines)


def _lines(draft: Draft) -> Iterator[tuple[str, str]]:
    """Each line, and the comment at its end."""
    serving, inputs = draft.serving, inputs_of(draft.contents)
    yield "# yaml-language-server: $schema=environment.schema.json", ""
    yield "# Written by init. Every field: sagemaker-serving docs environment-files", ""
    yield f"name: {_scalar(draft.name)}", ""
    yield f"region: {draft.region}", ""
    yield "# production: true", "data outlives the stack, alarms roll back"
    yield "models:", ""
    yield f"  {_scalar(draft.model)}:", f"the endpoint {draft.endpoint}"
    if inputs is not None:
        yield f"    # It takes {shown_inputs(inputs)}; ? is any size.", ""
    elif takes_examples(draft.contents):
        yield "    # It takes serialized tf.train.Example as base64:", ""
        yield """    # {"instances": [{"b64": "..."}]}""", ""
    elif takes_parts(draft.contents):
        yield (
            "    # It takes ragged or sparse tensors in parts, as inspect shows them, such as:",
            "",
        )
        yield """    # {"inputs": {"x": [1, 2, 3], "x_1": [0, 2, 3]}}""", "rows [1, 2] and [3]"
    if draft.made_by:
        yield f"    # Made by {draft.made_by}", ""
    tip = "packed as a SavedModel" if draft.contents.converted else "from this file's folder"
    yield f"    artifact: {_scalar(_from_here(draft.artifact))}", tip
    yield f"    framework: {_scalar(serving.framework)}", ""
    yield f'    framework_version: "{serving.version}"', _support(draft)
    variables = script_variables(serving.framework, draft.contents.scripts)
    if variables:
        yield "    environment:", "what names its script to this image"
        for name, value in variables.items():
            yield f"      {name}: {value}", ""
    yield "    variants:", ""
    yield f"      - {{name: main, instance_type: {serving.host.name}}}", _hardware(draft)
    yield "    # What can be added, each by itself:", ""
    yield "    # monitoring: {}", "alarms, a dashboard, logs for 90 days"
    yield "    # data_capture: {sampling_percent: 5}", "requests and answers, in S3"
    yield "    # update: {canary_percent: 10, wait_seconds: 300}", ""
    yield "    # scaling: {main: {min: 1, max: 4, invocations_per_instance: 300}}", ""
    jobs = default_host(draft.contents.size, draft.region, "transform")
    sends = ", content_type: application/json" if serving.framework == "tensorflow" else ""
    yield f"    # batch_transform: {{instance_type: {jobs}{sends}}}", "sagemaker-serving docs batch"


def _support(draft: Draft) -> str:
    until = draft.serving.patched_until
    return "the newest" if until is None else f"AWS patches it until {until}"


def _hardware(draft: Draft) -> str:
    host = draft.serving.host
    return "" if host.memory_mib is None else f"{host.vcpus} CPUs, {host.memory_mib / 1024:g} GiB"


def _from_here(path: Path) -> str:
    return path.as_posix() if path.is_absolute() else Path(os.path.relpath(path, FOLDER)).as_posix()


def _scalar(text: str) -> str:
    """``text`` as YAML writes it: in quotes where it would be something else."""
    shown: str = yaml.safe_dump(text, width=10_000, allow_unicode=True)
    return shown.removesuffix("\n").removesuffix("...").strip()
