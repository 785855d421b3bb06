"""A container's ``compile`` field as facts: what it asks of Neo, and of its model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from sagemaker_serving.archive import ArchiveContents, derived_input_config
from sagemaker_serving.rules.facts import ContainerFacts, Fact
from sagemaker_serving.rules.facts.kinds import Renamed, in_aws_words
from sagemaker_serving.rules.facts.resources import CompilationFacts
from sagemaker_serving.spec.compilation import Compilation


def compilation_fact(above: Fact, below: Fact) -> Fact:
    """The ``compile`` field of a variant laid over its model's, entry by entry."""
    own, shared = above.get("compile"), below.get("compile")
    if not (isinstance(own.value, Mapping) and isinstance(shared.value, Mapping)):
        return own if own.given else shared
    given = {key: value for key, value in own.value.items() if value is not None}
    return Fact({**shared.value, **given}, own.where)


def compilation_facts(
    container: ContainerFacts,
    contents: ArchiveContents | None,
    *,
    within_deploy: bool = True,
    is_gated: bool = False,
    folder: Path = Path(),
) -> CompilationFacts | None:
    """The job that the container's model is compiled by, None for one that is not.

    Shapes that are not given are those of the signature in ``contents``, where it fixes them.
    """
    asked = container.compilation
    if not asked.given:
        return None
    framework = asked.get("framework").or_else(container.framework)
    if framework.text is not None:  # Neo's spelling
        framework = Fact(framework.text.upper(), framework.where)
    version = asked.get("framework_version").or_else(container.framework_version)
    members = in_aws_words(asked, Compilation)
    members.parts["InputConfig"] = Renamed(
        {},
        asked.where,
        {
            "Framework": framework,
            "FrameworkVersion": version,
            "DataInputConfig": _shapes(asked, framework, contents),
        },
    )
    return CompilationFacts(
        region=container.region,
        members=members,
        batch_size=asked.get("batch_size"),
        accept=asked.get("accept"),
        instance_type=container.instance_type,
        within_deploy=within_deploy,
        is_gated=is_gated,
        folder=folder,
    )


def _shapes(asked: Fact, framework: Fact, contents: ArchiveContents | None) -> Fact:
    """DataInputConfig as text."""
    given = asked.get("data_input_config")
    if isinstance(given.value, Mapping | list):
        return Fact(json.dumps(given.value, default=str), given.where)
    if given.given or contents is None or framework.text is None:
        return given
    batch = asked.get("batch_size").value
    size = batch if isinstance(batch, int) and not isinstance(batch, bool) else None
    derived = derived_input_config(contents, framework.text, size)
    return given if derived is None else Fact(derived, given.where)
