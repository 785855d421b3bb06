"""The policy of a role whose version may still serve, and where it is too long for two of it."""

from __future__ import annotations

import json

import aws_cdk as cdk
import pytest
from aws_cdk.assertions import Annotations, Match, Template

from sagemaker_serving.infra.synth.granting import grant
from tests.infra.conftest import Bench


@pytest.mark.parametrize(("objects", "is_long"), [(10, False), (90, True)])
def test_a_policy_that_cannot_stand_twice_is_said_at_synth(
    bench: Bench, objects: int, is_long: bool
) -> None:
    """It is changed in place: what else has it beside the new one is named by its content."""
    for number in range(objects):
        grant(bench.role, ["s3:GetObject"], f"arn:aws:s3:::models/of-{number}/model.tar.gz")
    (name,) = Template.from_stack(bench.stack).find_resources("AWS::IAM::Policy")
    assert (name == "RoleDefaultPolicy5FFB7DAB") is is_long
    said = Match.string_like_regexp("over 5,000 it is changed in place.*IAM refuses 10,240")
    warnings = Annotations.from_stack(bench.stack).find_warning("/Stack/Role", said)
    assert len(warnings) == is_long


def test_its_length_is_of_what_iam_gets_and_not_of_the_functions_in_the_template(
    bench: Bench,
) -> None:
    """A production model with a key, a network and batches would be over it by these alone."""
    for number in range(50):
        grant(bench.role, ["s3:GetObject"], f"arn:{cdk.Aws.PARTITION}:s3:::m/{number}")
    found = Template.from_stack(bench.stack).find_resources("AWS::IAM::Policy")
    assert len(json.dumps(found, separators=(",", ":"))) > 5_500
    assert "RoleDefaultPolicy5FFB7DAB" not in found
