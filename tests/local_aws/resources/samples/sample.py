"""What a sample is, and the values that many of them have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Sample:
    """One resource: ``reads`` are calls, as ``service Operation Argument={Ref}``.

    ``needs`` are properties that a resource cannot do without beside those that its schema says;
    ``told`` has what the calls say of a property in other words than its value;
    ``unread`` those that no call tells, each with what it does.
    """

    reads: tuple[str, ...]
    properties: Mapping[str, Any]
    needs: tuple[str, ...] = ()
    told: Mapping[str, Any] = field(default_factory=dict)
    unread: Mapping[str, str] = field(default_factory=dict)


def document(**statement: Any) -> dict[str, Any]:
    return {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", **statement}]}


POLICY = document(Action="s3:GetObject", Resource="*")
TRUST = document(
    Action="sts:AssumeRole",
    Principal={
        "Service": [
            f"{name}.amazonaws.com"
            for name in ("sagemaker", "lambda", "states", "events", "sns", "logs")
        ]
    },
)
EVERYONE = document(Action="*", Resource="*", Principal={"AWS": "*"})
TAGS = [{"Key": "team", "Value": "lost and found"}]
CODE = {"ZipFile": "def handler(event, context):\n    return 1\n"}
FUNCTION = {"Runtime": "python3.11", "Handler": "index.handler", "Code": CODE}
METRIC = {"Namespace": "Lost", "MetricName": "Properties"}
DIMENSIONS = [{"Name": "Place", "Value": "shelf"}]
TAGGED = "sagemaker ListTags ResourceArn={Ref}"
