"""A local AWS with stand-in model servers, and the client's view of it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from sagemaker_serving.client import Aws
from tests.local_aws.aws import IMAGE, client_of, eventually, running
from tests.local_aws.aws import Aws as LocalAws
from tests.local_aws.stand_in import StandIn

_MAY_START = threading.Event()


def _launch(model_dir: Path, *, environment: Mapping[str, str], **more: Any) -> StandIn:
    if "HELD" in environment:
        assert _MAY_START.wait(60)
    return StandIn.start(model_dir, environment=environment, **more)


class _Quick(Aws):
    """Makes each client once: that takes longer than many a test."""

    def client(self, service: str, **options: Any) -> Any:
        return _client(Aws(**vars(self)), service, **options)


@cache
def _client(aws: Aws, service: str, **options: Any) -> Any:
    return aws.client(service, **options)


class Rollouts(LocalAws):
    """Endpoints by the versions of their one model, through calls and through stacks."""

    @property
    def client_side(self) -> Aws:
        """What a user's program has."""
        return _Quick(**vars(client_of(self.gateway)))

    def hold(self) -> None:
        """From now on no container with the variable HELD starts, until `let_go`."""
        _MAY_START.clear()

    def let_go(self) -> None:
        """Those that were held start now."""
        _MAY_START.set()

    def version(self, name: str, **environment: str) -> str:
        """A config of that name over a model with these variables."""
        return self.config(name, {"blue": self.model(name, environment)})

    def update(self, endpoint: str, config: str) -> None:
        self.sagemaker.update_endpoint(EndpointName=endpoint, EndpointConfigName=config)

    def status(self, endpoint: str) -> str:  # type: ignore[override]
        found = self.sagemaker.describe_endpoint(EndpointName=endpoint)
        return str(found["EndpointStatus"])

    def deploy(self, stack: str, version: str, **environment: str) -> None:
        """Create or update a stack of one endpoint, as CloudFormation does; waits for its end."""
        self.begin(stack, version, environment)
        cloudformation = self.client("cloudformation")

        def ended() -> bool:
            (found,) = cloudformation.describe_stacks(StackName=stack)["Stacks"]
            return not found["StackStatus"].endswith("_IN_PROGRESS")

        eventually(ended)

    def begin(
        self,
        stack: str,
        version: str,
        environment: Mapping[str, str],
        *,
        fails_later: bool = False,
    ) -> None:
        """Begin to; ``fails_later``: with a resource that fails once the endpoint serves."""
        cloudformation = self.client("cloudformation")
        exists = any(
            found["StackName"] == stack and found["StackStatus"] != "DELETE_COMPLETE"
            for found in cloudformation.list_stacks()["StackSummaries"]
        )
        act = cloudformation.update_stack if exists else cloudformation.create_stack
        body = template(stack, version, environment)
        if fails_later:
            body["Resources"]["Late"] = {
                "Type": "AWS::SageMaker::Endpoint",
                "DependsOn": "Endpoint",
                "Properties": {"EndpointConfigName": "nobody"},
            }
        act(StackName=stack, TemplateBody=json.dumps(body))

    def change_set(self, stack: str, version: str) -> None:
        """A change set ``next`` of the stack, ready and not executed."""
        self.client("cloudformation").create_change_set(
            StackName=stack,
            ChangeSetName="next",
            TemplateBody=json.dumps(template(stack, version, {})),
        )


def template(stack: str, version: str, environment: Mapping[str, str]) -> dict[str, Any]:
    """A Model, an EndpointConfig that is kept and told whose it is, and an Endpoint."""
    return {
        "Resources": {
            f"Model{version}": {
                "Type": "AWS::SageMaker::Model",
                "DeletionPolicy": "RetainExceptOnCreate",
                "Properties": {
                    "ExecutionRoleArn": "arn:aws:iam::123456789012:role/model",
                    "PrimaryContainer": {
                        "Image": IMAGE,
                        "ModelDataUrl": "s3://models/model.tar.gz",
                        "Environment": dict(environment),
                    },
                },
            },
            f"Config{version}": {
                "Type": "AWS::SageMaker::EndpointConfig",
                "DeletionPolicy": "RetainExceptOnCreate",
                "Properties": {
                    "Tags": [{"Key": "sagemaker-serving:endpoint", "Value": stack}],
                    "ProductionVariants": [
                        {
                            "VariantName": "blue",
                            "ModelName": {"Fn::GetAtt": [f"Model{version}", "ModelName"]},
                            "InstanceType": "ml.m5.large",
                            "InitialInstanceCount": 1,
                            "InitialVariantWeight": 1,
                        }
                    ],
                },
            },
            "Endpoint": {
                "Type": "AWS::SageMaker::Endpoint",
                "Properties": {
                    "EndpointName": stack,
                    "EndpointConfigName": {
                        "Fn::GetAtt": [f"Config{version}", "EndpointConfigName"]
                    },
                },
            },
        }
    }


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rollouts]:
    with running(tmp_path_factory.mktemp("aws"), launch=_launch) as gateway:
        yield Rollouts(gateway)
