"""The pytest plugin, in test runs of its own with the real CDK CLI and local AWSs of their own.

Their apps write their assemblies by hand, which takes no jsii; `tests/example_app` is a real one.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

pytest_plugins = "pytester"
pytestmark = [pytest.mark.slow, pytest.mark.long]

ROOT = Path(__file__).parents[3]
QUEUE = {"Type": "AWS::SQS::Queue"}
APP = """
import json, os, pathlib, sys

context = json.loads(os.environ.get("CDK_CONTEXT_JSON", "{{}}"))
folder = pathlib.Path(os.environ["CDK_OUTDIR"])
folder.mkdir(exist_ok=True)
artifacts = {{}}
for name, template in {stacks}:
    text = json.dumps(template).replace("$SIZE", context.get("size", "1"))
    text = text.replace("$WORD", os.environ.get("WORD", "none"))
    (folder / f"{{name}}.json").write_text(text)
    artifacts[name] = {{
        "type": "aws:cloudformation:stack",
        "environment": "aws://unknown-account/unknown-region",
        "properties": {{"templateFile": f"{{name}}.json"}},
    }}
(folder / "manifest.json").write_text(json.dumps({{"version": "36.0.0", "artifacts": artifacts}}))
"""
NOBODYS = {
    "Type": "AWS::IAM::Policy",
    "Properties": {
        "PolicyName": "nobodys",
        "PolicyDocument": {"Version": "2012-10-17", "Statement": []},
        "Roles": ["nobody"],
    },
}
"""A policy of a role that is not there."""


def template(resources: Mapping[str, Any], **outputs: Any) -> dict[str, Any]:
    named = {key: {"Value": value} for key, value in outputs.items()}
    return {"Resources": dict(resources), "Outputs": named}


ORDERS = template({"Queue": QUEUE}, QueueUrl={"Ref": "Queue"})


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """An empty folder of tests, with this project's CDK CLI at hand."""
    (pytester.path / "node_modules").symlink_to(ROOT / "node_modules")
    pytester.makeini("[pytest]\naddopts = -p no:cacheprovider\n")
    for name in ("SAGEMAKER_SERVING_END_WITH", "LOCAL_AWS_PROGRAM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SAGEMAKER_SERVING_WITHOUT_ENGINES", "1")
    return pytester


@pytest.fixture
def app(project: pytest.Pytester) -> Callable[..., None]:
    """Writes a CDK app of these stacks' templates, in the folder of that name."""

    def write(folder: str, **stacks: Any) -> None:
        place = project.mkdir(folder)
        (place / "cdk.json").write_text('{"app": "python3 app.py"}')
        (place / "app.py").write_text(APP.format(stacks=list(stacks.items())))

    return write


def test_stacks_are_apart_from_test_to_test(
    project: pytest.Pytester, app: Callable[..., None]
) -> None:
    app("orders", Orders=ORDERS, Bills=template({"Queue": QUEUE}, BillsUrl={"Ref": "Queue"}))
    project.makepyfile(
        """
        import os
        import pytest
        from local_aws.errors import Mistake

        def test_first(deploy_app, boto3_client, boto3_session):
            app = deploy_app("orders")
            assert sorted(app.stacks) == ["Bills", "Orders"]
            queue = app.outputs["QueueUrl"]
            assert queue == app.stacks["Orders"].outputs["QueueUrl"]
            assert queue == app.stacks["Orders"].resources["Queue"]
            boto3_client("sqs").send_message(QueueUrl=queue, MessageBody="first")
            (message,) = boto3_session.resource("sqs").Queue(queue).receive_messages()
            assert message.body == "first"
            with pytest.raises(KeyError, match="did you mean QueueUrl"):
                app.outputs["QueueUri"]

        def test_second(deploy_app, boto3_client):
            assert boto3_client("sqs").list_queues().get("QueueUrls") is None
            app = deploy_app("orders", stacks=["Orders"])
            assert list(app.stacks) == ["Orders"]
            with pytest.raises(Mistake, match="stack Orders is deployed already in eu-west-1"):
                deploy_app("orders")
            other = deploy_app("orders", region="us-east-2")
            assert other.outputs["QueueUrl"] != app.outputs["QueueUrl"]
            assert boto3_client("cloudformation", "us-east-2").describe_stacks()["Stacks"]

        def test_nothing_is_left(boto3_client):
            for region in ("eu-west-1", "us-east-2"):
                stacks = boto3_client("cloudformation", region).describe_stacks()["Stacks"]
                assert {each["StackName"] for each in stacks} <= {"CDKToolkit"}
            assert "AWS_ENDPOINT_URL" not in os.environ
        """
    )
    passed(project, 3)


def test_an_app_may_last_longer_than_a_test_and_change(
    project: pytest.Pytester, app: Callable[..., None]
) -> None:
    queue = {**QUEUE, "Properties": {"DelaySeconds": "$SIZE"}}
    retained = {**QUEUE, "DeletionPolicy": "Retain"}
    app("orders", Orders=template({"Queue": queue, "Kept": retained}, QueueUrl={"Ref": "Queue"}))
    project.makepyfile(
        """
        import pytest

        @pytest.fixture(scope="module")
        def app(local_aws):
            with local_aws.deployed("orders", context={"size": "2"}) as app:
                yield app

        @pytest.fixture
        def delay(app, boto3_client):
            def ask():
                url = app.outputs["QueueUrl"]
                found = boto3_client("sqs").get_queue_attributes(
                    QueueUrl=url, AttributeNames=["DelaySeconds"]
                )
                return found["Attributes"]["DelaySeconds"]
            return ask

        def test_one(delay):
            assert delay() == "2"

        def test_two(app, delay):
            app.deploy(context={"size": "7"})
            assert delay() == "7"

        def test_three(app, delay):
            assert delay() == "7"
            app.destroy()
            assert app.stacks == {}
        """
    )
    passed(project, 3)


def test_a_failed_deploy_is_told_in_the_report(
    project: pytest.Pytester, app: Callable[..., None]
) -> None:
    app("wrong", Wrong=template({"Queue": QUEUE, "Policy": NOBODYS}))
    app("right", Right=ORDERS)
    project.makepyfile(
        """
        import pytest
        from local_aws.errors import DeployFailed

        def test_it_is_refused(deploy_app):
            with pytest.raises(DeployFailed, match="Wrong: Policy: "):
                deploy_app("wrong")
            deploy_app("right")

        def test_it_fails(deploy_app):
            deploy_app("wrong")

        def test_another_fails(deploy_app):
            deploy_app("right")
            assert False, "for its own reason"
        """
    )
    ended = project.runpytest_subprocess("-p", "no:xdist")
    ended.assert_outcomes(passed=1, failed=2)
    ended.stdout.fnmatch_lines(
        [
            "*_ test_it_fails _*",
            "*local_aws.errors.DeployFailed: cdk deploy failed: Wrong: Policy: *",
            "*- local AWS: failed resources -*",
            "stack Wrong",
            "  ??:??:?? CREATE_IN_PROGRESS Policy (AWS::IAM::Policy)",
            "  ??:??:?? CREATE_FAILED Policy (AWS::IAM::Policy): *",
            "*_ test_another_fails _*",
        ]
    )
    assert ended.stdout.str().count("local AWS: failed resources") == 1


def test_denied_calls_are_told_in_the_report_of_their_test(
    project: pytest.Pytester, app: Callable[..., None]
) -> None:
    role = {
        "Type": "AWS::IAM::Role",
        "Properties": {
            "AssumeRolePolicyDocument": {
                "Version": "2012-10-17",
                "Statement": {
                    "Effect": "Allow",
                    "Action": "sts:AssumeRole",
                    "Principal": {"AWS": {"Fn::Sub": "arn:aws:iam::${AWS::AccountId}:root"}},
                },
            }
        },
    }
    app("roles", Roles=template({"Role": role}, RoleArn={"Fn::GetAtt": ["Role", "Arn"]}))
    project.makepyfile(
        """
        import pytest
        from botocore.exceptions import ClientError

        @pytest.fixture(scope="session")
        def app(local_aws):
            with local_aws.deployed("roles") as app:
                yield app

        def list_queues(app, boto3_client):
            keys = boto3_client("sts").assume_role(
                RoleArn=app.outputs["RoleArn"], RoleSessionName="test"
            )["Credentials"]
            boto3_client(
                "sqs",
                aws_access_key_id=keys["AccessKeyId"],
                aws_secret_access_key=keys["SecretAccessKey"],
                aws_session_token=keys["SessionToken"],
            ).list_queues()

        def test_denied(app, boto3_client):
            list_queues(app, boto3_client)

        def test_fails_by_itself(app):
            assert False
        """
    )
    ended = project.runpytest_subprocess("-p", "no:xdist")
    ended.assert_outcomes(failed=2)
    ended.stdout.fnmatch_lines(
        [
            "*_ test_denied _*",
            "*- local AWS: denied calls -*",
            "1 x arn:aws:iam::*:role/* may not sqs:ListQueues on *; grant sqs:ListQueues on *",
        ]
    )
    assert ended.stdout.str().count("local AWS: denied calls") == 1


def test_what_cannot_be_deleted_is_warned_of_and_in_nobodys_way(
    project: pytest.Pytester, app: Callable[..., None]
) -> None:
    app("store", Store=template({"Bucket": {"Type": "AWS::S3::Bucket"}}, Name={"Ref": "Bucket"}))
    project.makepyfile(
        """
        import pytest
        from local_aws.errors import DeployFailed

        def test_a_bucket_with_an_object(deploy_app, boto3_client):
            app = deploy_app("store")
            boto3_client("s3").put_object(Bucket=app.outputs["Name"], Key="key", Body=b"")
            boto3_client("cloudformation").update_termination_protection(
                StackName="Store", EnableTerminationProtection=True
            )

        def test_the_next_one(deploy_app, boto3_client):
            app = deploy_app("store")
            boto3_client("s3").put_object(Bucket=app.outputs["Name"], Key="key", Body=b"")
            with pytest.raises(DeployFailed, match="stack Store could not be deleted: .*Bucket"):
                app.destroy()
            boto3_client("s3").delete_object(Bucket=app.outputs["Name"], Key="key")
        """
    )
    ended = project.runpytest_subprocess("-p", "no:xdist")
    ended.assert_outcomes(passed=2, warnings=1)
    ended.stdout.fnmatch_lines(
        ["*stack Store could not be deleted: *; it stays until the tests end"]
    )


def test_nothing_leaks_in_or_out(
    project: pytest.Pytester, app: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    tagged = {**QUEUE, "Properties": {"Tags": [{"Key": "word", "Value": "$WORD"}]}}
    app("orders", Orders=template({"Queue": tagged}, QueueUrl={"Ref": "Queue"}))
    context = project.path / "orders" / "cdk.context.json"
    context.write_text('{"vpc:account=123456789012:region=eu-west-1": {"vpcId": "vpc-1"}}')
    theirs = {
        "AWS_PROFILE": "theirs",
        "AWS_ACCESS_KEY_ID": "AKIATHEIRS",
        "AWS_SECRET_ACCESS_KEY": "theirs",
        "AWS_SESSION_TOKEN": "theirs",
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
        "AWS_ENDPOINT_URL_SQS": "http://127.0.0.1:9",
        "HTTP_PROXY": "http://127.0.0.1:9",
        "WORD": "theirs",
    }
    for name, value in theirs.items():
        monkeypatch.setenv(name, value)
    project.makepyfile(
        f"""
        import os

        THEIRS = {theirs!r}

        def word(app, client):
            return client.list_queue_tags(QueueUrl=app.outputs["QueueUrl"])["Tags"]["word"]

        def test_nothing_of_the_shell_is_known(deploy_app, boto3_client):
            assert word(deploy_app("orders"), boto3_client("sqs")) == "none"
            assert os.environ.items() >= THEIRS.items()

        def test_what_is_given_is(deploy_app, boto3_client):
            app = deploy_app("orders", env={{"WORD": "given"}})
            assert word(app, boto3_client("sqs")) == "given"

        def test_code_under_test_finds_it(deploy_app, aws_environment):
            import boto3
            assert word(deploy_app("orders"), boto3.client("sqs")) == "none"
            assert "AWS_PROFILE" not in os.environ

        def test_and_no_longer_than_it_asks_for_it():
            assert os.environ.items() >= THEIRS.items()
        """
    )
    passed(project, 4)
    assert not context.exists()


def test_time_and_faults_are_those_of_the_test(project: pytest.Pytester) -> None:
    project.makeini("[pytest]\nlocal_aws_time_scale = 60\nlocal_aws_region = us-west-2\n")
    project.makepyfile(
        """
        import pytest
        from botocore.exceptions import ClientError
        from local_aws.errors import Mistake

        def test_a_fault(faults, boto3_client):
            faults.set("throttling", service="sqs", operation="ListQueues")
            with pytest.raises(ClientError, match="Rate exceeded|Throttl"):
                boto3_client("sqs").list_queues()
            with pytest.raises(Mistake, match="kind is 'slo'; .*did you mean slow"):
                faults.set("slo")

        def test_is_gone(boto3_client):
            client = boto3_client("sqs")
            assert client.meta.region_name == "us-west-2"
            client.list_queues()
        """
    )
    passed(project, 2)
    wrong = project.runpytest_subprocess("--local-aws-time-scale", "0", "-k", "is_gone")
    wrong.assert_outcomes(errors=1)
    wrong.stdout.fnmatch_lines(["*local_aws_time_scale is '0'; it must be a number above 0"])


def test_every_worker_of_xdist_has_a_local_aws(
    project: pytest.Pytester, app: Callable[..., None]
) -> None:
    app("orders", Orders=ORDERS)
    project.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("number", range(2))
        def test_it_is_alone(number, deploy_app, boto3_client, local_aws):
            app = deploy_app("orders")
            assert len(boto3_client("sqs").list_queues()["QueueUrls"]) == 1
            with open(f"url-{number}", "w") as file:
                file.write(local_aws.url)
        """
    )
    ended = project.runpytest_subprocess("-n", "2")
    ended.assert_outcomes(passed=2)
    assert len({(project.path / f"url-{number}").read_text() for number in range(2)}) == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_however_the_run_ends(
    project: pytest.Pytester, number: signal.Signals
) -> None:
    project.makepyfile(
        """
        import signal

        def test_it_is_interrupted(local_aws):
            print("runs", flush=True)
            signal.pause()
        """
    )
    run = [sys.executable, "-m", "pytest", "-s", f"--basetemp={project.path / 'base'}"]
    with subprocess.Popen(run, cwd=project.path, stdout=subprocess.PIPE, text=True) as tests:
        assert tests.stdout is not None
        assert any("runs" in line for line in tests.stdout)
        started = psutil.Process(tests.pid).children(recursive=True)
        assert started
        os.kill(tests.pid, number)
    _, alive = psutil.wait_procs(started, timeout=120)
    assert alive == []
    if number == signal.SIGINT:
        assert list((project.path / "base").glob("local-aws0*")) == []


def test_a_run_that_asks_for_nothing_starts_and_loads_nothing(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        import sys

        def test_nothing():
            heavy = {"boto3", "botocore", "moto", "click", "local_aws.daemon", "local_aws.context"}
            assert heavy & set(sys.modules) == set()
        """
    )
    passed(project, 1)


def passed(project: pytest.Pytester, number: int) -> None:
    ended = project.runpytest_subprocess("-p", "no:xdist", "-W", "error")
    ended.assert_outcomes(passed=number)
