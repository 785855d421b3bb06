"""Changes to the emulator's parameters, which answer under other names than AWS's."""

from __future__ import annotations

import json
from copy import copy
from typing import Any

from moto.ssm.models import ParameterDict, SimpleSystemManagerBackend

from local_aws.emulator.replacing import Original, replaces


def apply() -> None:
    """Apply every patch; a second time changes nothing more."""
    answer_by_the_name_that_was_asked()
    say_what_secrets_are()
    know_only_names_with_a_value()


def answer_by_the_name_that_was_asked() -> None:
    """``p`` and ``/p`` are one parameter, and a secret is one by its whole path.

    AWS gives each back under the name that it was asked by: recorded by LocalStack's suite.
    """

    @replaces(SimpleSystemManagerBackend, "get_parameter")
    def get_parameter(original: Original, backend: Any, name: str) -> Any:
        found = original(backend, name)
        if found is None or name.startswith("arn:"):
            return found
        answered = copy(found)
        answered.name = name.partition(":")[0]
        return answered


def say_what_secrets_are() -> None:
    """``SourceResult`` is the secret's value in Secrets Manager's words, not its description.

    Source: Systems Manager user guide, "Referencing AWS Secrets Manager secrets from Parameter
    Store parameters".
    """

    @replaces(ParameterDict, "_get_secretsmanager_parameter")
    def parameters(original: Original, kept: Any, secret_name: str) -> Any:
        found = original(kept, secret_name)
        for each in found:
            secret = json.loads(each.source_result)
            version, *stages = each.labels
            each.source_result = json.dumps(
                {
                    "ARN": secret["ARN"],
                    "name": secret["Name"],
                    "versionId": version,
                    "secretString": each.decrypt(each.value),
                    "versionStages": stages,
                    "createdDate": secret["CreatedDate"],
                }
            )
        return found


def know_only_names_with_a_value() -> None:
    """The emulator keeps every name that was asked for in vain, and breaks when it lists them."""

    @replaces(ParameterDict, "__contains__")
    def contains(original: Original, kept: Any, name: str) -> bool:
        return bool(original(kept, name) and kept[name])

    ParameterDict.__iter__ = lambda kept: iter([name for name, each in kept.items() if each])
