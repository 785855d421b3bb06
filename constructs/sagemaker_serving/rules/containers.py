"""Rules on a container's environment variables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts import ContainerFacts

_SOURCE = "botocore EnvironmentMap, EnvironmentKey, EnvironmentValue; read 2026-11-21"
_KEY = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")


@rule("container-environment", source=_SOURCE)
def container_environment(container: ContainerFacts) -> Iterator[Finding]:
    """At most 100 variables; names of letters, digits and _; values up to 1024 characters."""
    if len(container.environment) > 100:
        yield (
            container.where,
            f"environment has {len(container.environment)} variables; a container takes 100; "
            "move some into the archive",
        )
    for key, fact in container.environment.items():
        if not _KEY.fullmatch(key) or len(key) > 1024:
            yield (
                fact.where,
                f"the variable {key!r} is not a name of letters, digits and underscores that "
                "starts without a digit; rename it",
            )
        if fact.text is not None and len(fact.text) > 1024:
            yield (
                fact.where,
                f"{key} has {len(fact.text)} characters; a container takes 1024 per variable; "
                "put the value into a file of the archive",
            )
