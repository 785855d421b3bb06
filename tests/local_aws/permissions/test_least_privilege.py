"""The roles of the shipped templates hold what they need, and nothing that is not needed.

``environments/local.yaml``, with a KMS key added, is deployed once, asked,
run in a batch, and stopped in the middle of one. Then each permission of each role is taken
away in turn, and one of the calls that were judged must miss it; and a few are taken away for
real.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from constructs import Construct

from local_aws.credentials import ACCOUNT_ID
from local_aws.gateway import Gateway
from local_aws.permissions import deployed
from local_aws.permissions.evaluator import Judged
from local_aws.policies.documents import Policy, Statement
from local_aws.policies.evaluation import decide
from sagemaker_serving.errors import Failure
from sagemaker_serving.local_sagemaker.control_plane import SageMaker
from sagemaker_serving.operations import BatchExecution, BatchPipeline
from sagemaker_serving.spec import read_environment
from sagemaker_serving.spec.places import BATCH_PLACES
from stacks import add_environment
from tests.deploy.direct import DirectDeploy
from tests.local_aws.aws import REGION, Aws, client_of, eventually, running, service_in
from tests.local_aws.stand_in import StandIn

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[3]

ON_AWS_ONLY = {
    "xray:PutTraceSegments": "Step Functions sends traces itself; the local AWS makes none",
    "xray:PutTelemetryRecords": "as xray:PutTraceSegments",
    "xray:GetSamplingRules": "as xray:PutTraceSegments",
    "xray:GetSamplingTargets": "as xray:PutTraceSegments",
    "s3:AbortMultipartUpload": "a job whose upload of parts fails gives the parts up; the local "
    "AWS writes each output whole",
    "s3:ListMultipartUploadParts": "Step Functions writes a Map's large results in parts",
    "s3:ListBucket": "the developer guide asks for it in the role of jobs, of whatever kind their "
    "input is; the local AWS looks at prefixes only, and these jobs have manifests",
    "states:DescribeExecution": "Step Functions looks after the children of a Map itself",
    "states:StopExecution": "as states:DescribeExecution",
    "states:RedriveExecution": "Step Functions redrives the children of a Map; the local AWS has "
    "no redrive, and says so",
    "logs:DescribeLogStreams": "the developer guide has it in every role's list and says not what "
    "for; the local AWS makes streams without looking",
}
"""What no call here needs, and why it is granted all the same."""

_KEPT_GROUP = "/aws/sagemaker/Endpoints/local-digits"
ON_AWS_ONLY_AT = {
    **{
        (f"logs:{action}", f"{_KEPT_GROUP}:*"): "a group's ARN ends so in some of AWS's checks, "
        "and here never"
        for action in (
            *("CreateLogGroup", "DeleteLogGroup", "PutRetentionPolicy"),
            *("AssociateKmsKey", "DisassociateKmsKey"),
            *("ListTagsForResource", "TagResource", "UntagResource"),
        )
    },
    **{
        (f"logs:{action}", _KEPT_GROUP): "when the stack goes, or a key or a tag is taken away "
        "(tests/functions/log_retention)"
        for action in (
            *("DeleteLogGroup", "DisassociateKmsKey"),
            *("ListTagsForResource", "UntagResource"),
        )
    },
    **{
        (f"sagemaker:{action}", kind): "a deploy while another config serves than the stack says "
        "(tests/deploy/test_deploy_guard.py)"
        for action, kind in (
            ("DescribeEndpointConfig", "endpoint-config/*"),
            ("DescribeModel", "model/*"),
        )
    },
    ("cloudformation:DescribeStacks", ""): "a deploy of a change that goes back, or follows one "
    "(tests/deploy/test_deploy_guard.py)",
    (
        "s3:GetObject",
        f"/{BATCH_PLACES['work']}/*/map/*",
    ): "the developer guide asks for it where a Map's results go",
    ("s3:GetObject", "-eu-west-1/local-digits/*.tar.gz"): "archives that deploys before "
    "cdk.kept/ sent (tests/deploy/test_upgrade.py)",
    (
        "s3:GetObject",
        "/cdk.kept/local-digits/*.tar.gz",
    ): "a batch that runs while a deploy "
    "replaces its model reads the former archive (tests/deploy/test_update_during_batch.py)",
    ("s3:GetObject", ".tar.gz"): "the statement above lets a model's first archive be read, too; "
    "without both SageMaker refuses the model (test_sagemaker.py)",
}
"""The same, where the action is needed elsewhere: by how its resource ends."""

TRIED_IN_VAIN = {"logs:CreateLogGroup"}
"""Lambda makes a function's log group when it may; here the group is there already."""


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """The local environment as it stands in a gateway of its own."""

    gateway: Gateway
    folder: Path

    def client(self, service: str) -> Any:
        return self.gateway.context.client(service, REGION)

    def run(
        self, name: str, *, files: int = 1, body: bytes = b"abc", **overrides: str
    ) -> BatchExecution:
        """Start a run of the batch pipeline over this many objects."""
        uploads = [self.folder / f"{number}.png" for number in range(files)]
        for upload in uploads:
            upload.write_bytes(body)
        source = self.pipeline.upload(uploads, name)
        return self.pipeline.start(source, name, overrides=overrides)

    def jobs(self) -> list[dict[str, Any]]:
        """The transform jobs as ``local status`` shows them; those with a process have a pid."""
        found: list[dict[str, Any]] = service_in(self.gateway, SageMaker).status()["transform_jobs"]
        return found

    @property
    def pipeline(self) -> BatchPipeline:
        return BatchPipeline("local", "digits", client_of(self.gateway))

    def ended(self, execution: BatchExecution) -> str:
        """What a run fails with; "" when it succeeds."""
        try:
            self.pipeline.wait(execution, deadline_seconds=120, poll_seconds=0.1)
        except Failure as failure:
            return str(failure)
        return ""


def launch_held(
    while_there: Path,
    model_dir: Path,
    *,
    environment: Mapping[str, str],
    log_path: Path,
    container_version: str | None = None,
    program: str = "tensorflow",
    command: str = "",
) -> StandIn:
    """The stand-in, which answers nothing in transform jobs while this file is there."""
    held = {"HELD_WHILE": str(while_there)} if "SAGEMAKER_BATCH" in environment else {}
    return StandIn.start(model_dir, environment={**environment, **held}, log_path=log_path)


def build(folder: Path) -> Path:
    """The assembly of the local environment, whose data has a key of its own."""
    (folder / "model_assets").symlink_to(ROOT / "model_assets")
    (path := folder / "environments" / "local.yaml").parent.mkdir()
    shipped = (ROOT / "environments" / "local.yaml").read_text()
    path.write_text(shipped + "storage: {kms: true}\n")
    context = json.loads((ROOT / "cdk.json").read_text())["context"]
    app = cdk.App(outdir=str(folder / "assembly"), context=context)
    environment = read_environment(path).sound
    add_environment(Construct(app, "local"), environment, folder=path.parent, account=ACCOUNT_ID)
    return Path(app.synth().directory)


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    folder = tmp_path_factory.mktemp("least-privilege")
    with running(folder / "aws", launch=partial(launch_held, folder / "held")) as gateway:
        assert DirectDeploy(Aws(gateway), build(folder), ACCOUNT_ID, REGION).deploy() == []
        deployed = Deployment(gateway=gateway, folder=folder)
        leave_decrypting_to_the_roles(deployed)
        deny_soon(deployed)
        yield deployed


def leave_decrypting_to_the_roles(deployed: Deployment) -> None:
    """Takes out of the key's own policy what lets the roles decrypt once theirs no longer do."""
    ssm, kms = deployed.client("ssm"), deployed.client("kms")
    key = ssm.get_parameter(Name="/sagemaker-serving/local/storage/key-arn")["Parameter"]["Value"]
    policy = json.loads(kms.get_key_policy(KeyId=key, PolicyName="default")["Policy"])
    kept = [each for each in policy["Statement"] if each["Principal"] != {"AWS": "*"}]
    assert len(kept) == len(policy["Statement"]) - 1
    policy["Statement"] = kept
    kms.put_key_policy(KeyId=key, PolicyName="default", Policy=json.dumps(policy))


def deny_soon(deployed: Deployment) -> None:
    """Has batches try what is denied for 5 seconds, and not for a minute."""
    functions = deployed.client("lambda")
    for page in functions.get_paginator("list_functions").paginate():
        for each in page["Functions"]:
            if "BatchTransform" in each["FunctionName"]:
                variables = each.get("Environment", {}).get("Variables", {})
                functions.update_function_configuration(
                    FunctionName=each["FunctionName"],
                    Environment={"Variables": {**variables, "ACCESS_DENIED_PATIENCE_SECONDS": "5"}},
                )


@pytest.fixture(scope="module")
def judged(local: Deployment) -> list[Judged]:
    """Every call that was judged while the environment was deployed and used."""
    for endpoint in ("local-digits", "local-half-plus-three"):
        local.client("sagemaker-runtime").invoke_endpoint(EndpointName=endpoint, Body=b"abc")
    assert local.ended(local.run("first")) == ""
    lines = b"abc\nrefuse\n"
    assert local.ended(local.run("quarantined", body=lines, split_type="Line")) == ""
    (local.folder / "held").touch()
    stopped = local.run("stopped", files=2)
    job = eventually(lambda: next((each for each in local.jobs() if "pid" in each), None), 120)
    service_in(local.gateway, SageMaker).flush()  # logs and metrics of all that runs now
    local.client("stepfunctions").stop_execution(executionArn=stopped.arn)
    eventually(lambda: not any("pid" in each for each in local.jobs()))
    (local.folder / "held").unlink()
    assert job["name"].startswith("stopped-")
    assert local.ended(local.pipeline.resume("stopped", "resumed")) == ""  # takes the lock over
    service_in(local.gateway, SageMaker).flush()
    return list(local.gateway.context.evaluator.trail)


def roles_of(local: Deployment) -> dict[str, deployed.Role]:
    """The roles that the templates make, as they are deployed."""
    found = {}
    for stack in ("local-Storage", "local-digits", "local-half-plus-three"):
        resources = local.client("cloudformation").describe_stack_resources(StackName=stack)
        for resource in resources["StackResources"]:
            if resource["ResourceType"] == "AWS::IAM::Role":
                name = resource["PhysicalResourceId"]
                arn = local.client("iam").get_role(RoleName=name)["Role"]["Arn"]
                role = deployed.role_of(arn)
                assert role is not None
                found[f"{stack}/{resource['LogicalResourceId']}"] = role
    return found


def permissions_of(role: deployed.Role) -> list[Statement]:
    """One statement for each action on each resource that the role's policies grant."""
    return [
        replace(statement, actions=(action,), resources=(resource,))
        for document in role.policies
        for statement in document.statements
        for action in statement.actions
        for resource in statement.resources
    ]


def test_the_roles_hold_plain_grants(local: Deployment) -> None:
    roles = roles_of(local)
    assert len(roles) == 8
    for role in roles.values():
        assert role.boundary is None
        for statement in permissions_of(role):
            assert statement.effect == "Allow"
            assert not statement.not_actions
            assert not statement.not_resources
            assert "*" not in statement.actions[0]


def test_nothing_that_was_done_in_a_roles_name_was_refused(
    local: Deployment, judged: list[Judged]
) -> None:
    names = {role.arn for role in roles_of(local).values()}
    refused = [each for each in judged if each.call.principal.role_arn in names]
    refused = [each for each in refused if each.call.action not in TRIED_IN_VAIN]
    assert [each.as_json() for each in refused if not each.decision.allowed] == []


def test_every_permission_is_missed_when_it_is_taken_away(
    local: Deployment, judged: list[Judged]
) -> None:
    """Whatever is not missed is in `ON_AWS_ONLY`, and all that is in it is granted."""
    documents = local.gateway.context.evaluator._more
    not_missed = []
    for name, role in roles_of(local).items():
        done = [each for each in judged if each.decision.allowed]
        calls = [each.call for each in done if each.call.principal.role_arn == role.arn]
        permissions = permissions_of(role)
        for number, taken in enumerate(permissions):
            rest = tuple(permissions[:number] + permissions[number + 1 :])
            less = replace(role, policies=(Policy(name="less", statements=rest),))
            if all(
                decide(call, deployed.policies_of(less, call.resource, documents)).allowed
                for call in calls
            ):
                not_missed.append((name, taken.actions[0], taken.resources[0]))
    needed = {
        (each, (action, ending))
        for each in not_missed
        for action, ending in ON_AWS_ONLY_AT
        if each[1] == action and each[2].endswith(ending)
    }
    elsewhere = {each for each, _ in needed}
    rest_of_them = [each for each in not_missed if each not in elsewhere]
    assert [each for each in rest_of_them if each[1] not in ON_AWS_ONLY] == []
    assert {action for _, action, _ in rest_of_them} == ON_AWS_ONLY.keys()
    assert {where for _, where in needed} == ON_AWS_ONLY_AT.keys()
    guards = sum("/DeployGuard" in name for name in roles_of(local))
    theirs = sum("test_deploy_guard" in why for why in ON_AWS_ONLY_AT.values())
    assert len(elsewhere) == len(ON_AWS_ONLY_AT) + theirs * (guards - 1)
