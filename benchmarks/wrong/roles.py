"""Roles that the services or the template itself cannot use as it does.

Sources: IAM user guide, roles for services; IAM API reference, CreateRole.
"""

from __future__ import annotations

import random

from benchmarks.wrong.changes import Pair, Place
from benchmarks.wrong.templates import pair

_ROLE: Place = ("Resources", "Role", "Properties")
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
