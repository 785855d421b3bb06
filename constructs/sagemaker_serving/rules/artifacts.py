"""Rules on the model itself: there, and laid out so that its server finds it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sagemaker_serving.errors import Severity
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts import ArtifactFacts

_LAYOUT = "TensorFlow Serving container, model discovery; read 2026-11-21"
_S3_URI = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/.+")


@rule("artifact-given", source="this project")
def artifact_given(facts: ArtifactFacts) -> Iterator[Finding]:
    """Every container has a model."""
    if facts.artifact.value is None:
        yield (
            facts.artifact.where,
            "artifact is missing; give the model's folder, its .tar.gz, or {s3: s3://…, sha256: …}",
        )


@rule("artifact-readable", source="this project")
def artifact_readable(facts: ArtifactFacts) -> Iterator[Finding]:
    """A model on disk is a folder or a gzipped tar that can be read to its end."""
    if facts.unreadable is not None:
        yield facts.artifact.where, f"artifact is {facts.artifact.text!r}; {facts.unreadable}"


@rule("artifact-saved-model", source=_LAYOUT)
def artifact_saved_model(facts: ArtifactFacts) -> Iterator[Finding]:
    """TensorFlow Serving finds a SavedModel: ``[name/]<digits>/saved_model.pb``."""
    contents = facts.contents
    if contents is None or facts.framework.text != "tensorflow" or contents.models:
        return
    if contents.misplaced_models:
        folder = contents.misplaced_models[0]
        advice = (
            f"there is one in {folder}/, whose name is not all digits; "
            f"rename {folder}/ to <name>/1/"
        )
    elif contents.graphs:
        advice = (
            f"{contents.graphs[0]} looks like a frozen graph, which it does not load; "
            "export it as a SavedModel"
        )
    else:
        advice = "put the SavedModel there, for example as mymodel/1/saved_model.pb"
    yield (
        facts.artifact.where,
        f"artifact is {facts.artifact.text!r}; TensorFlow Serving looks for "
        f"[name/]<digits>/saved_model.pb and there is none; {advice}",
    )


@rule("artifact-variables", source=_LAYOUT)
def artifact_variables(facts: ArtifactFacts) -> Iterator[Finding]:
    """A ``variables/`` folder with an index has its data, and the reverse."""
    if facts.contents is None or facts.framework.text != "tensorflow":
        return
    names = set(facts.contents.files)
    for name in sorted(names):
        if name.endswith("/variables/variables.index"):
            data = name.removesuffix("index") + "data-"
            if not any(other.startswith(data) for other in names):
                yield (
                    facts.artifact.where,
                    f"artifact is {facts.artifact.text!r}; {name} has no variables.data-* "
                    "beside it; copy the whole variables/ folder",
                )


@rule("artifact-s3-uri", source="botocore ContainerDefinition.ModelDataUrl, read 2026-11-21")
def artifact_s3_uri(facts: ArtifactFacts) -> Iterator[Finding]:
    """A model in S3 is one ``.tar.gz`` object."""
    uri = _s3_uri(facts.artifact.value)
    if uri is not None and not (_S3_URI.fullmatch(uri) and uri.endswith(".tar.gz")):
        yield (
            facts.artifact.where,
            f"artifact is {uri!r}; SageMaker loads one archive: s3://<bucket>/<key>.tar.gz",
        )


@rule("artifact-pinned", source="AWS CloudFormation, update behaviour", severity=Severity.WARNING)
def artifact_pinned(facts: ArtifactFacts) -> Iterator[Finding]:
    """A model in S3 comes with its sha256 or version id, or changed content is not deployed."""
    value = facts.artifact.value
    uri = _s3_uri(value)
    if uri is None:
        return
    marks = value if isinstance(value, dict) else {}
    if marks.get("sha256") is None and marks.get("version_id") is None:
        yield (
            facts.artifact.where,
            f"artifact is {uri!r} without sha256 or version_id; when the object changes, "
            f"nothing is deployed; write {{s3: {uri}, sha256: <its sha256>}}",
        )


def _s3_uri(value: Any) -> str | None:
    if isinstance(value, dict):
        return value["s3"] if isinstance(value.get("s3"), str) else None
    return value if isinstance(value, str) and value.startswith("s3://") else None
