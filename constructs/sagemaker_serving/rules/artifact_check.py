"""What is wrong with one model, judged without an environment file."""

from __future__ import annotations

from collections.abc import Mapping

from local_aws.template import Unknown
from sagemaker_serving.archive import ArchiveContents
from sagemaker_serving.archive.handlers import script_variables
from sagemaker_serving.errors import Problem, Where
from sagemaker_serving.rules.engine import judge
from sagemaker_serving.rules.facts import ABSENT, ArtifactFacts, ContainerFacts, Fact
from sagemaker_serving.rules.registry import RULES


def check_contents(
    contents: ArchiveContents,
    name: str,
    *,
    framework: str | None = None,
    environment: Mapping[str, str] | None = None,
    for_neo: bool = False,
    multi_model: bool = False,
) -> list[Problem]:
    """Every problem of an archive's ``contents``; ``name`` is what messages call it.

    ``framework`` is the one that is to serve it, by default the one whose files
    it holds, or none; ``environment`` the container's variables, beside `script_variables`. With
    ``for_neo`` it is judged as the input of a compilation, with ``multi_model`` as one of many in
    a container.
    """
    where = Where()
    served_by = framework if framework is not None else next(iter(contents.frameworks), "")
    variables = {**script_variables(served_by, contents.scripts), **(environment or {})}
    container = ContainerFacts(
        where=where,
        artifact=Fact(name, where),
        framework=Fact(served_by, where),
        mode=Fact("MultiModel", where) if multi_model else ABSENT,
        environment={key: Fact(value, where / key) for key, value in variables.items()},
        environment_fact=Fact(Unknown(), where),
        compilation=Fact({}, where) if for_neo else ABSENT,
    )
    return judge([ArtifactFacts(container=container, contents=contents)], RULES)
