"""What each action is about, by AWS's service authorization reference, as cfn-lint ships it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from local_aws.arn import Arn
from local_aws.protocol.call import Call
from local_aws.schemas import data_folder
from local_aws.template.regions import region_names


def reference(service: str) -> Mapping[str, Mapping[str, Any]]:
    """``Actions`` and ``Resources`` of a service by IAM's name for it, their names in lower case;
    nothing of one that it does not have."""
    found: Mapping[str, Mapping[str, Any]] = _reference().get(service, {})
    return found


def judged_resources(service: str, action: str, call: Call, own: Sequence[str]) -> Sequence[str]:
    """What a call is judged about: ARNs of kinds that its action knows, ``*`` where it knows none.

    ``own`` is what the service found in the call; of these, what is of another kind does not count.
    Where nothing is left, the parameters' names tell: ``AlarmNames`` are alarms. What is made under
    an id that comes with the answer is judged as all of its kind, ``…:subnet/*``, and so is a call
    that says its one kind and names none: DescribeRepositories is about ``…:repository/*``
    (aws-amplify/amplify-cli#10828 quotes the refusal).
    """
    if service not in _reference() or action.lower() not in reference(service)["Actions"]:
        return own or ["*"]
    forms = _forms_of(service, action, call.region, call.account)
    found = [arn for arn in own if (forms and arn == "*") or _is_of(arn, forms)]
    found = found or list(dict.fromkeys(_named(call, forms)))
    for kind, form in forms.items() if "*" not in found else ():
        operation = call.operation.lower()
        made = operation == f"create{kind}"
        of_all = len(forms) == 1 and kind.removesuffix("y") in operation
        if (made or of_all) and not any(_is_of(arn, {kind: form}) for arn in found):
            found.insert(0, form.replace(_OWN, "*"))
    return found or ["*"]


_OWN = ".*"
"""How the reference writes what is a resource's own in an ARN."""


@lru_cache
def _forms_of(service: str, action: str, region: str, account: str) -> Mapping[str, str]:
    """How the ARNs are written of the kinds that an action can be limited to."""
    known = reference(service)
    found = {}
    for kind in known["Actions"][action.lower()].get("Resources", ()):
        form = Arn.parse(known["Resources"][kind.lower()]["ARNFormats"][0])
        found[re.sub(r"\W", "", kind.lower())] = str(
            form._replace(
                partition=region_names(region)["AWS::Partition"],
                region=region if form.region else "",
                account=account if form.account == "${Account}" else form.account,
            )
        )
    return found


def _is_of(arn: str, forms: Mapping[str, str]) -> bool:
    """Whether an ARN, in whichever account and region, is of one of these kinds."""
    _, service, region, _, resource = Arn.parse(arn)
    kinds = map(Arn.parse, forms.values())
    return any(
        service == kind.service
        and bool(region) == bool(kind.region)
        and resource.startswith(kind.resource.removesuffix(_OWN))
        for kind in kinds
    )


def _named(call: Call, forms: Mapping[str, str]) -> Iterator[str]:
    for parameter, value in call.parameters.items():
        for text in value if isinstance(value, list) else [value]:
            if not isinstance(text, str) or not text:
                continue
            if text.startswith("arn:"):
                yield from [text] if _is_of(text, forms) else []
                continue
            for kind, form in forms.items():
                if _names(call, parameter, kind):
                    own = text.lstrip("/") if form.endswith("/" + _OWN) else text
                    yield form.replace(_OWN, own)


def _names(call: Call, parameter: str, kind: str) -> bool:
    """Whether a parameter is a kind's name; ``Name`` and ``Id`` are of what a call is named for."""
    lower = parameter.lower()
    if re.fullmatch(rf"{kind}(name|id)?s?", lower):
        return True
    if lower == "resourceid":
        return str(call.parameters.get("ResourceType", "")).lower() == kind
    own = call.operation.lower().endswith((kind, f"{kind}s"))
    return own and re.fullmatch("(name|id)s?", lower) is not None


@lru_cache(maxsize=1)
def _reference() -> dict[str, Any]:
    text = (data_folder() / "AdditionalSpecs" / "Policies.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
