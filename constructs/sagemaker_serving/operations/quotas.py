"""Whether an account's quotas hold what an environment takes, beside what runs there already."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from sagemaker_serving.errors import Problem, Severity, Where
from sagemaker_serving.operations.account import Account
from sagemaker_serving.spec import Environment
from sagemaker_serving.spec.capacity import Need, Thing, needs

_NAMES: dict[Thing, str] = {
    "endpoint-instances": r"{type} for endpoint usage",
    "transform-instances": r"{type} for transform job usage",
    "endpoints": r"(maximum )?(number of|total) (active )?endpoints",
    "serverless-endpoints": r".*number of serverless endpoints.*",
    "serverless-concurrency": r".*total concurrency.*serverless.*",
    "provisioned-concurrency": r".*provisioned concurrency.*(across|total|all).*",
}
"""Patterns of the quotas' names, whatever their case.

The first two are how the names are spelt in requests for more (Service Quotas
console in others' guides); the rest is matched loosely, and
what no listed quota matches is said to be unknown, never to be enough.
"""

_CALLED: dict[Thing, str] = {
    "endpoint-instances": "instances of {type} for endpoints",
    "transform-instances": "instances of {type} for transform jobs",
    "endpoints": "endpoints",
    "serverless-endpoints": "serverless endpoints",
    "serverless-concurrency": "concurrent serverless requests",
    "provisioned-concurrency": "provisioned concurrency",
}


def quota_problems(environment: Environment, account: Account, where: Where) -> list[Problem]:
    """What would not fit: errors for a deploy, warnings for scaling and updates.

    ``where`` is the environment file's top. Instances that the environment's
    own endpoints have now are not counted against it.
    """
    wanted: defaultdict[tuple[Thing, str | None], list[Need]] = defaultdict(list)
    for need in needs(environment):
        wanted[need.thing, need.instance_type].append(need)
    own = {environment.endpoint_name(model) for model in environment.models}
    return [
        problem
        for (thing, instance_type), asked in wanted.items()
        for problem in _judged(thing, instance_type, asked, account, own, where)
    ]


def _judged(
    thing: Thing,
    instance_type: str | None,
    asked: Sequence[Need],
    account: Account,
    own: set[str],
    where: Where,
) -> Iterator[Problem]:
    called = _CALLED[thing].format(type=instance_type)
    place = where
    for key in asked[0].path:
        place = place / key
    quota = _quota(thing, instance_type, account)
    if quota is None:
        yield Problem(
            rule="quota-unknown",
            where=place,
            severity=Severity.NOTE,
            message=f"Service Quotas lists none for {called} in {account.region}; not checked",
        )
        return
    others = _used_by_others(thing, instance_type, account, own)
    beside = f" beside {others} in use" if others else ""
    limit = f"the quota of {account.account} in {account.region} is {quota:g}{beside}"
    # Updates are made one endpoint at a time: the largest one counts.
    surplus = max(need.peak - need.ceiling for need in asked)
    for amount, severity, when, then in (
        (sum(need.floor for need in asked), Severity.ERROR, "the deploy takes", "it would fail"),
        (
            sum(need.ceiling for need in asked),
            Severity.WARNING,
            "at most it takes",
            "batches wait" if thing == "transform-instances" else "scaling stops there",
        ),
        (
            sum(need.ceiling for need in asked) + surplus,
            Severity.WARNING,
            "an update at full size takes",
            "the update would fail; update: {rolling_percent: …} takes fewer",
        ),
    ):
        if others + amount > quota:
            counted = called.replace("instances of", "instance of") if amount == 1 else called
            yield Problem(
                rule=f"quota-{thing}",
                where=place,
                severity=severity,
                message=(
                    f"{when} {amount} {counted}; {limit}: {then}; ask for {others + amount} in "
                    "Service Quotas, or take fewer"
                ),
            )
            return


def _quota(thing: Thing, instance_type: str | None, account: Account) -> float | None:
    pattern = _NAMES[thing].format(type=re.escape(instance_type or ""))
    found = [
        value
        for name, value in account.quotas.items()
        if re.fullmatch(pattern, name, re.IGNORECASE)
    ]
    return min(found) if found else None


def _used_by_others(
    thing: Thing, instance_type: str | None, account: Account, own: set[str]
) -> int:
    if thing == "transform-instances":
        return account.transform.get(instance_type or "", 0)
    endpoints = [account.endpoints[name] for name in account.endpoints if name not in own]
    serverless = [account.serverless[name] for name in account.serverless if name not in own]
    used = {
        "endpoint-instances": sum(counts.get(instance_type or "", 0) for counts in endpoints),
        "endpoints": len(endpoints),
        "serverless-endpoints": len(serverless),
        "serverless-concurrency": sum(serverless),
    }
    return used.get(thing, 0)
