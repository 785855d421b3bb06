"""Quotas of the account that a local AWS stands in for: listed, and instances beyond them refused.

::

    check --account --account-file FILE    or    aws service-quotas list-service-quotas
                      │
    local up --quotas FILE ──> ListServiceQuotas, CreateEndpoint, CreateTransformJob, …
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from local_aws.errors import Mistake
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.service import Action, Limit, Service
from sagemaker_serving.errors import why_unread


class Quotas(Service):
    """Service Quotas of SageMaker, by name; those of a VPC are the emulator's.

    ``values`` is how much of each there is. None is known where it has none: AWS's defaults
    differ by account and region.
    """

    name = "service-quotas"
    limits = (
        Limit(
            "quotas of SageMaker",
            "those of `local up --quotas FILE`; without it none is listed, and `check --account "
            "--local` notes each as not checked. Kept to are instances by type, by CreateEndpoint, "
            "both updates of endpoints, so scaling, and CreateTransformJob",
        ),
    )

    def __init__(self, values: Mapping[str, float]) -> None:
        self._values = values

    def actions(self) -> Mapping[str, Action]:
        """Both lists, which whoever asks for quotas lays one over the other."""
        return {"ListAWSDefaultServiceQuotas": self._list, "ListServiceQuotas": self._list}

    def _list(self, call: Call) -> dict[str, Any] | None:
        if call.parameters["ServiceCode"] != "sagemaker":
            return None
        named = {"ServiceCode": "sagemaker", "ServiceName": "Amazon SageMaker"}
        return {
            "Quotas": [
                {**named, "QuotaName": name, "Value": value}
                for name, value in sorted(self._values.items())
            ]
        }


KEPT_TO = ("for endpoint usage", "for transform job usage")
"""How the names of those quotas end that instances are refused by."""


def refuse_beyond(
    quotas: Mapping[str, float], usage: str, wanted: Mapping[str, int], taken: Mapping[str, int]
) -> None:
    """Raise `AwsError` for instances beyond the quota of their type.

    ``usage`` is what they are for, ``endpoint`` or ``transform job``; ``wanted`` are those to come
    and ``taken`` those there are, by instance type. A type without a quota is not looked at.
    """
    for instance_type, count in wanted.items():
        name = f"{instance_type} for {usage} usage"
        used = taken.get(instance_type, 0)
        if count > 0 and used + count > quotas.get(name, float("inf")):
            # Words: aws/amazon-sagemaker-examples#307, aws-samples/aws-genai-llm-chatbot#244.
            raise AwsError(
                "ResourceLimitExceeded",
                f"The account-level service limit '{name}' is {quotas[name]:g} Instances, with "
                f"current utilization of {used} Instances and a request delta of {count} "
                "Instances. Please use AWS Service Quotas to request an increase for this quota. "
                "If AWS Service Quotas is not available, contact AWS support to request an "
                "increase for this quota.",
            )


def read_quotas(path: Path) -> dict[str, float]:
    """How much of each quota by its name, from what `check --account` or the AWS CLI wrote.

    Raises `Mistake` for any other file.
    """
    try:
        kept = json.loads(path.read_text("utf-8"))
        named = kept["quotas"] if "quotas" in kept else _named(kept["Quotas"])
        for name, value in named.items():
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ValueError(f"{name} is {value!r}, which is no number")
        return {name: float(value) for name, value in named.items()}
    except FileNotFoundError:
        what = "there is no such file"
    except OSError as error:
        what = f"it cannot be read: {error.strerror}"
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        what = f"these are no quotas ({why_unread(error)})"
    raise Mistake(
        f"{path}: {what}; write them by `check ENVIRONMENT --account --account-file FILE`, or by "
        "`aws service-quotas list-service-quotas --service-code sagemaker`"
    )


def _named(listed: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """By their names; one that AWS could not read has no value."""
    return {each["QuotaName"]: each["Value"] for each in listed if "ErrorReason" not in each}
