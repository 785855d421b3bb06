"""docs/environment-files.md: every field of an environment file, from the types."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from sagemaker_serving import spec
from sagemaker_serving.spec import compilation, monitoring
from sagemaker_serving.spec.schema import descriptions

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "environment-files.md"
HEAD = """\
# Environment files

`environments/<name>.yaml` describes what is deployed where. An editor completes it by
`environments/environment.schema.json`, which has the meanings below. A complete file:

```yaml
{example}```

`sagemaker-serving check` names misspellings, contradictions and values that AWS refuses, with file
and line. A version such as "2.20" needs its quotes, because YAML reads 2.20 as the number 2.2.
"""
_OVERRIDDEN = tuple(spec.Container.model_fields)
SECTIONS: tuple[tuple[str, type[BaseModel], tuple[str, ...]], ...] = (
    ("The environment", spec.Environment, ()),
    ("storage", spec.Storage, ()),
    ("storage.expire", spec.Expire, ()),
    ("network, one that exists", spec.ExistingNetwork, ()),
    ("network, one that is made", spec.PrivateNetwork, ()),
    ("organization", spec.Organization, ()),
    ("organization.bootstrap", spec.Bootstrap, ()),
    ("models.<name>", spec.Model, ()),
    ("models.<name>.artifact, when it is in S3", spec.S3Artifact, ()),
    ("models.<name>.artifact, a folder", spec.FolderArtifact, ()),
    ("batching", spec.Batching, ()),
    ("server", spec.Server, ()),
    ("compile", compilation.Compilation, ()),
    ("models.<name>.variants[], on instances", spec.InstanceVariant, _OVERRIDDEN),
    ("models.<name>.variants[], serverless", spec.ServerlessVariant, _OVERRIDDEN),
    ("prefix_aware_routing", spec.PrefixAwareRouting, ()),
    ("capacity_reservation", spec.CapacityReservation, ()),
    ("core_dump", spec.CoreDump, ()),
    ("managed_instance_scaling", spec.ManagedInstanceScaling, ()),
    ("scale_in_policy", spec.ScaleInPolicy, ()),
    ("models.<name>.endpoint, one that exists", spec.ExistingEndpoint, ()),
    ("models.<name>.asynchronous", spec.Asynchronous, ()),
    ("models.<name>.multi_model", spec.MultiModel, ()),
    ("models.<name>.containers[]", spec.PipelineContainer, _OVERRIDDEN),
    ("models.<name>.model_package", spec.ModelPackage, ()),
    ("models.<name>.inference_components.<name>", spec.InferenceComponent, _OVERRIDDEN),
    ("models.<name>.inference_components.<name>, an adapter", spec.Adapter, ()),
    ("scheduling_config", spec.SchedulingConfig, ()),
    ("availability_zone_balance", spec.AvailabilityZoneBalance, ()),
    ("models.<name>.scaling.<name>", spec.Scaling, ()),
    ("tracked_metrics[]", spec.TrackedMetric, ()),
    ("step_policies[]", spec.StepPolicy, ()),
    ("steps[]", spec.Step, ()),
    ("schedules[]", spec.Schedule, ()),
    ("models.<name>.update, by a canary", spec.CanaryUpdate, ()),
    ("models.<name>.update, in linear steps", spec.LinearUpdate, ()),
    ("models.<name>.update, in rolling batches", spec.RollingUpdate, ()),
    ("models.<name>.update, all at once", spec.AllAtOnceUpdate, ()),
    ("models.<name>.transition", spec.Transition, ()),
    ("models.<name>.data_capture", spec.DataCapture, ()),
    ("models.<name>.metrics_config", spec.MetricsConfig, ()),
    ("monitoring", monitoring.Monitoring, ()),
    ("monitoring.thresholds", monitoring.AlarmThresholds, ()),
    ("models.<name>.batch_transform", spec.BatchTransform, ()),
    ("models.<name>.extra", spec.Extra, ()),
)


def page() -> str:
    """The page as Markdown."""
    example = (ROOT / "environments" / "prod.yaml").read_text(encoding="utf-8")
    return HEAD.format(example=example) + "".join(
        part for title, model, left_out in SECTIONS for part in _section(title, model, left_out)
    )


def _section(title: str, model: type[BaseModel], left_out: tuple[str, ...]) -> Iterator[str]:
    # Without backticks a page takes <name> for a tag, and shows nothing.
    field, *rest = title.split(", ", 1)
    heading = ", ".join((f"`{field}`" if "<" in field else field, *rest))
    yield f"\n## {heading}\n\n{_flat(model.__doc__ or '')}\n\n"
    if left_out:
        names = ", ".join(f"`{name}`" for name in left_out)
        yield f"It may also override {names}.\n\n"
    yield "| field | type | default | meaning |\n|---|---|---|---|\n"
    meanings = descriptions(model)
    for name, info in model.model_fields.items():
        if name not in left_out:
            yield (
                f"| `{name}` | {_kind(info.annotation)} | {_default(info)} "
                f"| {_flat(meanings.get(name, ''))} |\n"
            )


def _kind(annotation: Any) -> str:
    if get_origin(annotation) is Annotated:
        return _kind(get_args(annotation)[0])
    members = [member for member in get_args(annotation) if member is not NoneType]
    if get_origin(annotation) is Literal:
        return ", ".join(str(member) for member in members)
    if get_origin(annotation) is dict:
        return f"mapping of {_kind(members[1])}"
    if get_origin(annotation) is list:
        return f"list of {_kind(members[0])}"
    if members:
        return " or ".join(_kind(member) for member in members)
    names = {
        Any: "any value",
        str: "text",
        int: "whole number",
        float: "number",
        bool: "true or false",
    }
    return names.get(annotation) or str(annotation.__name__)


def _default(info: FieldInfo) -> str:
    if info.is_required():
        return "needed"
    extra = info.json_schema_extra
    if isinstance(extra, dict):
        return str(extra["default"])
    default = info.get_default(call_default_factory=True, validated_data={})
    if isinstance(default, bool):
        return str(default).lower()
    return str(default) if isinstance(default, int | float | str) else ""


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("``", "`").replace("|", "\\|").strip()
