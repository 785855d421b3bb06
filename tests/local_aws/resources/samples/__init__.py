"""A sample of every property of every type that the local AWS deploys, and what reads it back.

Each file has samples by type: ``reads`` are calls, as ``service Operation Argument={Ref}``;
``needs`` are properties that a resource cannot do without beside those that its schema says;
``told`` has what the calls say of a property in other words than its value; ``unread`` those that
no call tells, each with what it does. ``GROUND`` are resources that samples refer to.

``$Name`` and ``$Name.Attribute`` stand for what `ground` gives; ``{Ref}`` and ``{Attribute}`` in a
read for the resource's own. ``$Tags`` and the like are `SHARED`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml


@dataclass(frozen=True)
class Sample:
    """One resource, as the files have it."""

    reads: list[str]
    properties: Mapping[str, Any]
    needs: list[str] = field(default_factory=list)
    told: Mapping[str, Any] = field(default_factory=dict)
    unread: Mapping[str, str] = field(default_factory=dict)


def document(**statement: Any) -> dict[str, Any]:
    return {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", **statement}]}


SHARED: Mapping[str, Any] = {
    "$Code": {"ZipFile": "def handler(event, context):\n    return 1\n"},
    "$Everyone": document(Action="*", Resource="*", Principal={"AWS": "*"}),
    "$Policy": document(Action="s3:GetObject", Resource="*"),
    "$Tags": [{"Key": "team", "Value": "lost and found"}],
    "$Trust": document(
        Action="sts:AssumeRole",
        Principal={
            "Service": [
                f"{name}.amazonaws.com"
                for name in ("sagemaker", "lambda", "states", "events", "sns", "logs")
            ]
        },
    ),
}
"""Values that many of them have."""

SAMPLES: dict[str, tuple[Sample, ...]] = {}
"""By type: those of each file, one after the other."""

GROUND: dict[str, Mapping[str, Any]] = {}
"""What samples refer to, by name: a template's resources."""


def _whole(value: Any) -> Any:
    """A value with what is shared."""
    if isinstance(value, Mapping):
        return {key: _whole(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return SHARED.get(value, value) if isinstance(value, str) else value


for _file in sorted(Path(__file__).parent.glob("*.yaml")):
    for _type_name, _given in _whole(yaml.safe_load(_file.read_text(encoding="utf-8"))).items():
        if _type_name == "GROUND":
            GROUND.update(_given)
        else:
            SAMPLES[_type_name] = (
                *SAMPLES.get(_type_name, ()),
                *(Sample(**each) for each in _given),
            )
