"""Every member that CloudFormation knows is written by an environment file, and rendered.

Those that have a field are written by it, all others by ``extra``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
import yaml

from sagemaker_serving.catalog.properties import Shape, member_paths, resource_properties
from sagemaker_serving.spec import read_environment
from sagemaker_serving.spec.members import ENDPOINT, ENDPOINT_CONFIG, MODEL, written_as
from stacks import EnvironmentStage

ROOT = Path(__file__).parents[2]
NAMED_BY_CLOUDFORMATION = {"ModelName", "EndpointConfigName"}
SAME = {"Containers": "PrimaryContainer", "ShadowProductionVariants": "ProductionVariants"}
"""Members that are written in one way at both places."""

VALUES: Mapping[str, Any] = {"string": "x", "integer": 1, "number": 0.5, "boolean": True}
TENSORFLOW = {"artifact": "model", "framework": "tensorflow", "framework_version": "2.19"}
STARTS = {
    "model_data_download_timeout_in_seconds": 600,
    "container_startup_health_check_timeout_in_seconds": 600,
    "variant_instance_provision_timeout_in_seconds": 600,
}
VARIANT = {
    "name": "all",
    "instance_type": "ml.m5.large",
    "initial_instance_count": 2,
    "weight": 3,
    "inference_ami_version": "al2-ami-sagemaker-inference-gpu-2",
    "volume_size_in_gb": 64,
    **STARTS,
    "prefix_aware_routing": {"prefix_length": 2048, "concurrency_threshold": 8},
    "capacity_reservation": {
        "ml_reservation_arn": "arn:aws:sagemaker:eu-west-1:111122223333:training-plan/mine",
        "capacity_reservation_preference": "capacity-reservations-only",
    },
    "enable_ssm_access": True,
    "core_dump": {},
}
EITHER = {"name": "either", "instance_types": ["ml.m5.large", "ml.m5.xlarge"]}
ALONE = {"name": "all", "instance_type": "ml.m5.large"}
COMPONENT = {"artifact": "model", "min_memory_required_in_mb": 512, "copy_count": 1}
ADAPTER = "s3://mine/polite.tar.gz"
PACKAGE = "arn:aws:sagemaker:eu-west-1:111122223333:model-package/digits/3"


def models() -> dict[str, Any]:
    """A model of each kind, with all that it may say."""
    return {
        "plain": {
            **TENSORFLOW,
            "environment": {"LEVEL": "2"},
            "network_isolation": True,
            "variants": [
                VARIANT,
                {**EITHER, "extra": {"InstancePools": [{}, {"ModelNameOverride": "other"}]}},
            ],
            "scaling": {"all": {"min": 1, "max": 3, "invocations_per_instance": 70}},
            "data_capture": {"sampling_percent": 50},
            "metrics_config": {
                "enable_enhanced_metrics": True,
                "enable_detailed_observability": False,
                "metric_publish_frequency_in_seconds": 30,
            },
            "update": {
                "canary_percent": 10,
                "alarms": ["mine"],
                "maximum_execution_timeout_seconds": 4000,
            },
            "extra": {
                "model": _extra_of(MODEL, "Containers"),
                "endpoint_config": _extra_of(ENDPOINT_CONFIG, "ProductionVariants", *SAME),
                "endpoint": _extra_of(ENDPOINT),
            },
        },
        "linear": {**TENSORFLOW, "variants": [ALONE], "update": {"linear_percent": 20}},
        "rolling": {
            **TENSORFLOW,
            "variants": [ALONE],
            "update": {
                "rolling_percent": 20,
                "rollback_percent": 50,
                "maximum_execution_timeout_seconds": 4000,
            },
        },
        "later": {
            **TENSORFLOW,
            "variants": [ALONE],
            "asynchronous": {
                "success_topic": "new",
                "error_topic": "new",
                "include_inference_response_in": ["SUCCESS_NOTIFICATION_TOPIC"],
                "max_concurrent_invocations_per_instance": 4,
            },
        },
        "serverless": {
            **TENSORFLOW,
            "variants": [
                {
                    "name": "all",
                    "memory_size_in_mb": 2048,
                    "max_concurrency": 5,
                    "provisioned_concurrency": 2,
                }
            ],
        },
        "line": {
            **TENSORFLOW,
            "variants": [ALONE],
            "containers": [{"container_hostname": "first"}, {"container_hostname": "second"}],
        },
        "many": {
            **TENSORFLOW,
            "artifact": None,
            "variants": [ALONE],
            "multi_model": {"model_cache_setting": "Disabled"},
        },
        "files": {**TENSORFLOW, "artifact": {"s3": "s3://mine/files/"}, "variants": [ALONE]},
        "package": {"variants": [ALONE], "model_package": {"name": PACKAGE}},
        "sharing": {
            "framework": "tensorflow",
            "framework_version": "2.19",
            "variants": [
                {
                    **ALONE,
                    "managed_instance_scaling": {
                        "max_instance_count": 3,
                        "scale_in_policy": {
                            "strategy": "CONSOLIDATION",
                            "maximum_step_size": 2,
                            "cooldown_in_minutes": 30,
                        },
                    },
                }
            ],
            "network_isolation": True,
            "inference_components": {
                "one": COMPONENT,
                "polite": {"base_inference_component_name": "one", "artifact": ADAPTER},
            },
        },
        "shadow": {
            **TENSORFLOW,
            "variants": [ALONE],
            "shadow_variants": [{**VARIANT, "name": "new"}],
        },
    }


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, set[str]]:
    """The paths of all members in the templates, by resource type."""
    folder = tmp_path_factory.mktemp("members")
    (folder / "model").symlink_to(ROOT / "model_assets" / "half_plus_three" / "model")
    network = {"subnet_ids": ["subnet-1"], "security_group_ids": ["sg-1"]}
    head = {"name": "members", "region": "eu-west-1", "storage": {"kms": True}, "network": network}
    path = folder / "members.yaml"
    path.write_text(yaml.safe_dump({**head, "tags": {"team": "search"}, "models": models()}))
    file = read_environment(path)
    assert file.environment is not None, file.shape_problems
    app = cdk.App(outdir=str(folder / "cdk.out"))
    stage = EnvironmentStage(app, file.environment, folder=folder)
    stacks = app.synth().get_nested_assembly(stage.artifact_id).stacks
    found: dict[str, set[str]] = {MODEL: set(), ENDPOINT_CONFIG: set(), ENDPOINT: set()}
    for resource in (each for stack in stacks for each in stack.template["Resources"].values()):
        if resource["Type"] in found:
            shape = resource_properties(resource["Type"])
            found[resource["Type"]] |= set(_given(resource["Properties"], shape, ""))
    return found


@pytest.mark.parametrize("resource_type", [MODEL, ENDPOINT_CONFIG, ENDPOINT])
def test_every_member_of_the_schema_is_rendered(
    resource_type: str, rendered: Mapping[str, set[str]]
) -> None:
    known = set(member_paths(resource_properties(resource_type)))
    written = {_alike(path) for path in rendered[resource_type]}
    assert {_alike(path) for path in known} - written - NAMED_BY_CLOUDFORMATION == set()


def _extra_of(resource_type: str, *left_out: str) -> dict[str, Any]:
    """A value for everything that only ``extra`` writes."""
    shape = resource_properties(resource_type)
    made = _made(
        shape, [path for path in member_paths(shape) if written_as(resource_type, path) is None]
    )
    assert isinstance(made, dict)
    return {name: value for name, value in made.items() if name not in left_out}


def _given(value: Any, shape: Shape, above: str) -> Iterator[str]:
    """The paths of the schema that a rendered value has."""
    if isinstance(shape, list) and isinstance(value, list):
        for entry in value:
            yield from _given(entry, shape[0], above)
    elif isinstance(shape, Mapping) and isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _given(inner, shape[name], f"{above}.{name}" if above else name)
    else:
        yield above


def _made(shape: Shape, wanted: list[str], above: str = "") -> Any:
    """A value of this shape with the wanted members."""
    if isinstance(shape, list):
        return [_made(shape[0], wanted, above)]
    if not isinstance(shape, Mapping):
        return VALUES[shape]
    paths = {name: f"{above}.{name}" if above else name for name in shape}
    return {
        name: _made(shape[name], wanted, path)
        for name, path in paths.items()
        if any(f"{each}.".startswith(f"{path}.") for each in wanted)
    }


def _alike(path: str) -> str:
    first, _, rest = path.partition(".")
    return f"{SAME.get(first, first)}.{rest}" if rest else path
