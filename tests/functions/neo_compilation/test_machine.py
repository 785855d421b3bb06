"""The state machine itself, with the function in Lambda: what it does when calls are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest

from local_aws.faults import Fault, Kind
from sagemaker_serving import functions
from sagemaker_serving.infra.functions.machine_provider import waiting_states
from tests.functions.neo_compilation.driving import Listener, event, properties, statuses
from tests.local_aws.aws import Aws, eventually
from tests.local_aws.functions import in_place, zipped
from tests.local_aws.services.stepfunctions.machines import begin, create

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def machine(aws: Aws) -> str:
    root = Path(functions.__file__).parent
    names = ["../__init__.py", "__init__.py", "custom_resource/*.py", "neo_compilation/*.py"]
    files = {
        path.resolve().relative_to(root.parents[1]).as_posix(): path.read_text()
        for name in names
        for path in root.glob(name)
    }
    client = aws.client("lambda")
    client.create_function(
        FunctionName="work",
        Runtime="python3.14",
        Role=aws.role("work", "lambda"),
        Handler="sagemaker_serving.functions.neo_compilation.work.handler",
        Code={"ZipFile": zipped(files)},
        Timeout=900,  # as it is deployed: a refusal alone is tried again for a minute
        MemorySize=512,
    )
    states = json.dumps(waiting_states(in_place(client, "work"), then="finish", when="model"))
    return create(aws, json.loads(states.replace(cdk.Aws.PARTITION, "aws")))


def answered(aws: Aws, listener: Listener, machine: str, given: Any) -> Any:
    asked = event(listener, given)
    begin(aws, machine, input=json.dumps({"request": asked, "interrupted": False}))
    return eventually(lambda: listener.answer(asked["RequestId"]), seconds=240)


@pytest.mark.parametrize("kind", [Kind.ACCESS_DENIED, Kind.UNKNOWN_ROLE])
def test_a_refusal_that_passes_is_outlasted(
    aws: Aws, listener: Listener, machine: str, kind: Kind
) -> None:
    """As by an account whose new role is not known everywhere yet."""
    aws.gateway.context.faults.put(
        Fault(
            id="early",
            kind=kind,
            service="sagemaker",
            operation="CreateCompilationJob",
            first=2,
        )
    )
    given = properties("keras.tar.gz", job=f"early-{kind}")
    assert answered(aws, listener, machine, given)["Status"] == "SUCCESS"
    assert statuses(aws, given["CompilationJobName"]) == ["COMPLETED"]
