"""Run by sagemaker-core's own Python: makes, asks, updates, deletes; prints what it got as JSON."""

from __future__ import annotations

import json
import sys

import boto3
from sagemaker.core.resources import Endpoint, EndpointConfig, Model
from sagemaker.core.shapes import ContainerDefinition, ProductionVariant

NAME = "by-core"


def main(model_data_url: str, role_arn: str, image: str) -> None:
    container = ContainerDefinition(image=image, model_data_url=model_data_url)
    model = Model.create(model_name=NAME, primary_container=container, execution_role_arn=role_arn)
    config = _config(NAME, 1)
    endpoint = Endpoint.create(endpoint_name=NAME, endpoint_config_name=config)
    endpoint.wait_for_status("InService", poll=1, timeout=120)
    answers = {"status": endpoint.endpoint_status, "predict": _ask(endpoint)}
    second = _config(f"{NAME}-2", 2)
    endpoint.endpoint_config_name = second.endpoint_config_name
    endpoint.update()
    endpoint.wait_for_status("InService", poll=1, timeout=120)
    answers["config"] = endpoint.endpoint_config_name
    answers["updated"] = _ask(endpoint)
    answers["listed"] = [each.endpoint_name for each in Endpoint.get_all(name_contains=NAME)]
    endpoint.delete()
    endpoint.wait_for_delete(poll=1, timeout=120)
    for each in (config, second, model):
        each.delete()
    left = boto3.client("sagemaker").list_endpoints(NameContains=NAME)["Endpoints"]
    # Its progress bars end without a new line.
    print("\n" + json.dumps({**answers, "left": left}, default=str))


def _config(name: str, instances: int) -> EndpointConfig:
    variant = ProductionVariant(
        variant_name="AllTraffic",
        model_name=NAME,
        initial_instance_count=instances,
        instance_type="ml.c5.large",
    )
    return EndpointConfig.create(endpoint_config_name=name, production_variants=[variant])


def _ask(endpoint: Endpoint) -> object:
    body = json.dumps({"instances": [1.0, 2.0, 5.0]})
    return json.loads(endpoint.invoke(body=body, content_type="application/json").body.read())


if __name__ == "__main__":
    main(*sys.argv[1:])
