"""What is wrong with one compilation, judged without an environment file."""

from __future__ import annotations

from sagemaker_serving.archive import ArchiveContents
from sagemaker_serving.errors import Problem, Where
from sagemaker_serving.rules.engine import judge
from sagemaker_serving.rules.environment.shapes import shapes_of
from sagemaker_serving.rules.facts import ArtifactFacts, ContainerFacts, Fact
from sagemaker_serving.rules.neo.facts import compilation_facts
from sagemaker_serving.rules.registry import RULES
from sagemaker_serving.spec.compilation import Compilation


def check_compilation(
    asked: Compilation,
    artifact: str,
    *,
    framework: str | None,
    framework_version: str | None,
    region: str | None,
    contents: ArchiveContents | None,
    where: Where,
) -> list[Problem]:
    """Every problem of compiling a model as ``asked``; ``artifact`` is what messages call it.

    ``framework`` and its version are what serves it, ``contents`` what it holds, None where
    that is not known. No deploy waits for it, so it may take as long as it likes.
    """
    container = ContainerFacts(
        where=where,
        region=Fact(region, where),
        artifact=Fact(artifact, where),
        framework=Fact(framework, where / "framework"),
        framework_version=Fact(framework_version, where / "framework_version"),
        compilation=Fact(asked.model_dump(exclude_none=True), where),
    )
    facts: list[object] = [ArtifactFacts(container=container, contents=contents)]
    job = compilation_facts(container, contents, within_deploy=False)
    return judge([*facts, job, *shapes_of(job)] if job is not None else facts, RULES)
