"""Changes that the guides of IAM, EventBridge and containers call wrong.

Sources: IAM user guide, grammar of the JSON policy language, roles for
services; IAM API reference, CreateRole and PutRolePolicy; EventBridge user guide, cron and rate
expressions.
"""

from __future__ import annotations

import random
from typing import Any

from benchmarks.wrong_environments.bases import GONE, Change, Place
from benchmarks.wrong_environments.documented import cron, rate, time, variable, zone
from benchmarks.wrong_templates.bases import Pair, base, changed, pair
from benchmarks.wrong_templates.functions import behind

_ROLE: Place = ("Resources", "Role", "Properties")
_TRUST: Place = (*_ROLE, "AssumeRolePolicyDocument")
_INLINE: Place = (*_ROLE, "Policies", 0, "PolicyDocument")


def trust(dice: random.Random) -> Pair:
    """A role that does not trust the service which it is given to."""
    name, role, right = dice.choice(
        [
            ("endpoint", "Role", "sagemaker.amazonaws.com"),
            ("network", "Role", "sagemaker.amazonaws.com"),
            ("pipeline", "MachineRole", "states.amazonaws.com"),
            ("pipeline", "CodeRole", "lambda.amazonaws.com"),
            ("pipeline", "EventsRole", "events.amazonaws.com"),
        ]
    )
    others = {"sagemaker", "states", "lambda", "events", "ec2", "glue"} - {right.partition(".")[0]}
    wrong = dice.choice([f"{other}.amazonaws.com" for other in sorted(others)])
    wrong = dice.choice([wrong, right.replace("amazonaws.com", "amazon.com"), f"x{right}"])
    document = ("Resources", role, "Properties", "AssumeRolePolicyDocument")
    statement = {"Effect": "Allow", "Action": "sts:AssumeRole"}
    if dice.random() < 0.3:
        wrong_one = {**statement, "Principal": {"AWS": "111122223333"}}
    else:
        wrong_one = {**statement, "Principal": {"Service": wrong}}
    right_one = {**statement, "Principal": {"Service": [right, "ec2.amazonaws.com"]}}
    place = (*document, "Statement")
    return pair(name, {place: [wrong_one]}, {place: [right_one]})


def permission(dice: random.Random) -> Pair:
    """A role that may not do what the template uses it for."""
    name, place, rights, taken = dice.choice(
        [
            (
                "endpoint",
                (*_INLINE, "Statement", 0, "Action"),
                ["s3:GetObject", "s3:ListBucket", "s3:PutObject"],
                ["s3:GetObject", "s3:PutObject"],
            ),
            (
                "pipeline",
                (
                    "Resources",
                    "MachinePolicy",
                    "Properties",
                    "PolicyDocument",
                    "Statement",
                    1,
                    "Action",
                ),
                [
                    "sagemaker:*",
                    "events:PutTargets",
                    "events:PutRule",
                    "events:DescribeRule",
                    "logs:*",
                ],
                ["sagemaker:*", "events:PutTargets", "events:PutRule", "events:DescribeRule"],
            ),
        ]
    )
    gone = dice.choice(taken)
    return pair(name, {place: [each for each in rights if each != gone]})


def policy(dice: random.Random) -> Pair:
    """A policy document of another form than IAM's grammar gives it."""
    name, document, kind = dice.choice(_DOCUMENTS)
    first = _first(name, document)
    mistakes: list[Change] = [
        {(*document, "Version"): dice.choice(["2012-10-18", "2010-09-09", "2012-10-07", "1"])},
        {(*document, dice.choice(["statement", "Statements"])): []},
        {(*document, "Statement"): dice.choice(["Allow", {}, [[]], ["a"]])},
        {(*first, "Effect"): dice.choice(["allow", "Permit", "ALLOW", "", "Deny "])},
        {(*first, "Effect"): GONE},
        {(*first, "Action"): GONE},
        {
            (
                *first,
                dice.choice(["Actions", "Resources", "effect", "Conditions", "Principals"]),
            ): "*"
        },
        {(*first, "Action"): dice.choice(["GetObject", "s3.GetObject", "", {"s3": "GetObject"}])},
        {(*first, "NotAction"): "s3:GetObject"},
        {
            (*first, "Condition"): dice.choice(
                [{"StringEqual": {"a:b": "c"}}, {"Bools": {"a:b": "true"}}]
            )
        },
        {(*first, "Condition"): dice.choice(["aws:SecureTransport", [], {"Bool": "true"}])},
    ]
    if kind == "trust":
        mistakes += [
            {(*first, "Resource"): "*"},
            {(*first, "Principal"): GONE},
            {(*first, "Action"): "s3:GetObject"},
            {
                (*first, "Principal"): dice.choice(
                    [{"service": "ec2.amazonaws.com"}, "ec2.amazonaws.com", []]
                )
            },
        ]
    elif kind == "identity":
        mistakes += [
            {(*first, "Principal"): "*"},
            {(*first, "Resource"): GONE},
            {(*first, "Resource"): dice.choice(["bucket", "s3://bucket", "", "arn:aws:s3"])},
            {(*first, "NotResource"): "*"},
            {(*first, "Sid"): dice.choice(["a b", "read-models", "a.b"])},
        ]
    else:
        mistakes += [
            {(*first, "Principal"): GONE},
            {(*first, "Principal"): {"Everyone": "*"}},
        ]
    return pair(name, dice.choice(mistakes))


def _first(name: str, document: Place) -> Place:
    at: Any = base(name)
    for key in document:
        at = at[key]
    statements = at["Statement"]
    return (*document, "Statement", 0) if isinstance(statements, list) else (*document, "Statement")


_DOCUMENTS: list[tuple[str, Place, str]] = [
    ("endpoint", _TRUST, "trust"),
    ("endpoint", _INLINE, "identity"),
    ("network", ("Resources", "Access", "Properties", "PolicyDocument"), "identity"),
    ("pipeline", ("Resources", "MachinePolicy", "Properties", "PolicyDocument"), "identity"),
    ("pipeline", ("Resources", "CodeRole", "Properties", "AssumeRolePolicyDocument"), "trust"),
    ("pipeline", ("Resources", "DataPolicy", "Properties", "PolicyDocument"), "resource"),
    ("pipeline", ("Resources", "Key", "Properties", "KeyPolicy"), "resource"),
]


def schedule(dice: random.Random) -> Pair:
    """A schedule of EventBridge's or Application Auto Scaling's that its grammar does not have."""
    draw = dice.choice([cron, cron, rate, time])
    _, wrong, right = draw(dice)
    (wrong_text,), (right_text,) = wrong.values(), right.values()
    action = (*_TARGET, "ScheduledActions", 0)
    if draw is time or dice.random() < 0.5:
        return behind(dice, "endpoint", (*action, "Schedule"), wrong_text, right_text)
    place = ("Resources", "Nightly", "Properties", "ScheduleExpression")
    return behind(dice, "pipeline", place, wrong_text, right_text)


def time_zone(dice: random.Random) -> Pair:
    _, wrong, right = zone(dice)
    (wrong_text,), (right_text,) = wrong.values(), right.values()
    place = (*_TARGET, "ScheduledActions", 0, "Timezone")
    return behind(dice, "endpoint", place, wrong_text, right_text)


def container_variable(dice: random.Random) -> Pair:
    """A variable of TensorFlow's container with a value that it does not take."""
    while True:
        base_name, wrong, right = variable(dice)
        (*_, place), (*_, wrong_text), (*_, right_text) = wrong, wrong.values(), right.values()
        if base_name == "instances":
            break
    at = (*_CONTAINER, "Environment")
    beside: Change = {}
    if str(place[-1]).startswith("SAGEMAKER_TFS_") and not str(place[-1]).endswith(
        "ENABLE_BATCHING"
    ):
        beside[(*at, "SAGEMAKER_TFS_ENABLE_BATCHING")] = "true"
        beside[(*at, "SAGEMAKER_TFS_MAX_ENQUEUED_BATCHES")] = "64"
    wrong_pair, right_pair = behind(dice, "endpoint", (*at, place[-1]), wrong_text, right_text)
    return changed(wrong_pair, beside), changed(right_pair, beside)


_TARGET: Place = ("Resources", "Target", "Properties")
_CONTAINER: Place = ("Resources", "Model", "Properties", "PrimaryContainer")
