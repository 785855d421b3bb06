"""State machines as CloudFormation deploys them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local_aws.services.stepfunctions.resources import StateMachine
from local_aws.template import Unknown
from tests.local_aws.aws import Aws
from tests.local_aws.known import integrations
from tests.local_aws.services.cloudformation.templates import resource
from tests.local_aws.services.stepfunctions.machines import PASS, ROLE, of

DANGLING = of({"A": {"Type": "Pass", "Next": "B"}})


def template(properties: dict[str, Any]) -> str:
    machine = resource("StepFunctions::StateMachine", RoleArn=ROLE, **properties)
    outputs = {"Arn": {"Value": {"Ref": "Machine"}}}
    return json.dumps({"Resources": {"Machine": machine}, "Outputs": outputs})


@pytest.mark.parametrize(
    ("properties", "problem"),
    [
        ({"DefinitionString": json.dumps(DANGLING)}, "Missing 'Next' target: B at /States/A/Next"),
        ({"Definition": DANGLING}, "Missing 'Next' target: B at /States/A/Next"),
        ({"DefinitionString": "${a}", "DefinitionSubstitutions": {"a": "{"}}, "INVALID_JSON"),
    ],
)
def test_a_definition_that_cannot_run_is_a_problem(
    properties: dict[str, Any], problem: str
) -> None:
    (found,) = StateMachine(integrations()).problems(properties)
    assert found.startswith("its definition is not valid: ")
    assert problem in found


@pytest.mark.parametrize(
    "properties",
    [
        {"DefinitionString": json.dumps(PASS)},
        {"DefinitionString": Unknown()},
        {"Definition": {**DANGLING, "Comment": Unknown()}},
        {"DefinitionS3Location": {"Bucket": "b", "Key": "k"}},
    ],
)
def test_what_can_run_or_is_not_known_yet_is_none(properties: dict[str, Any]) -> None:
    assert list(StateMachine(integrations()).problems(properties)) == []


def test_a_template_with_a_definition_that_cannot_run_makes_nothing(aws: Aws) -> None:
    broken = template({"Definition": DANGLING})
    with pytest.raises(ClientError, match=r"Resource Machine: .*Missing 'Next' target: B"):
        aws.client("cloudformation").create_stack(StackName="broken", TemplateBody=broken)
    assert aws.client("stepfunctions").list_state_machines()["stateMachines"] == []
