"""A variant with several instance types is on the first of them that there is capacity for."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from local_aws.faults import Fault, Kind
from tests.local_aws.aws import Aws

G6, G5 = "ml.g6.xlarge", "ml.g5.xlarge"


@pytest.fixture(autouse=True)
def _faults_end(aws: Aws) -> Any:
    yield
    aws.gateway.context.faults.clear()


def no_capacity_for(aws: Aws, *types: str) -> None:
    for name in types:
        aws.gateway.context.faults.put(Fault(id=name, kind=Kind.NO_CAPACITY, name=name))


def config(aws: Aws, name: str, *pools: dict[str, Any], **variant: Any) -> str:
    aws.sagemaker.create_endpoint_config(
        EndpointConfigName=name,
        ProductionVariants=[
            {
                "VariantName": "v",
                "ModelName": aws.model(f"{name}-model"),
                "InitialInstanceCount": 2,
                "InstancePools": list(pools),
                **variant,
            }
        ],
    )
    return name


def pool(name: str, priority: int, **more: str) -> dict[str, Any]:
    return {"InstanceType": name, "Priority": priority, **more}


def counts(described: Any) -> dict[str, int]:
    (variant,) = described["ProductionVariants"]
    return {each["InstanceType"]: each["CurrentInstanceCount"] for each in variant["InstancePools"]}


def test_the_first_choice_is_taken_where_there_is_room_whatever_the_order_of_the_list(
    aws: Aws,
) -> None:
    described = aws.endpoint("pools-1", config(aws, "pools-1", pool(G5, 2), pool(G6, 1)))
    assert described["EndpointStatus"] == "InService"
    assert counts(described) == {G6: 2, G5: 0}
    aws.delete("pools-1")


def test_without_capacity_for_the_first_the_endpoint_comes_up_on_the_next(aws: Aws) -> None:
    no_capacity_for(aws, G6)
    described = aws.endpoint("pools-2", config(aws, "pools-2", pool(G6, 1), pool(G5, 2)))
    assert described["EndpointStatus"] == "InService"
    assert counts(described) == {G6: 0, G5: 2}
    assert aws.ask("pools-2", b"ab") == b"ba"
    aws.delete("pools-2")


def test_where_none_is_left_the_endpoint_fails_with_the_reason(aws: Aws) -> None:
    no_capacity_for(aws, G6, G5)
    failed = aws.endpoint("pools-3", config(aws, "pools-3", pool(G6, 1), pool(G5, 2)))
    assert failed["EndpointStatus"] == "Failed"
    assert "due to InsufficientInstanceCapacity error" in failed["FailureReason"]
    aws.delete("pools-3")


def test_a_pool_with_a_model_of_its_own_runs_it(aws: Aws) -> None:
    other = aws.model("pools-other", {"VERSION": "other"})
    no_capacity_for(aws, G6)
    pools = (pool(G6, 1), pool(G5, 2, ModelNameOverride=other))
    aws.endpoint("pools-4", config(aws, "pools-4", *pools))
    assert aws.ask("pools-4", b"ab") == b"other"
    aws.delete("pools-4")


def test_an_update_goes_back_where_no_type_has_capacity(aws: Aws) -> None:
    aws.endpoint("pools-5", config(aws, "pools-5", pool(G6, 1), pool(G5, 2)))
    no_capacity_for(aws, G6, G5)
    aws.sagemaker.update_endpoint(
        EndpointName="pools-5", EndpointConfigName=config(aws, "pools-5b", pool(G6, 1), pool(G5, 2))
    )
    described = aws.settled("pools-5")
    assert (described["EndpointStatus"], described["EndpointConfigName"]) == (
        "InService",
        "pools-5",
    )
    assert counts(described) == {G6: 2, G5: 0}
    aws.delete("pools-5")


def test_the_config_is_described_as_it_was_given(aws: Aws) -> None:
    config(aws, "pools-6", pool(G6, 1), pool(G5, 2))
    found = aws.sagemaker.describe_endpoint_config(EndpointConfigName="pools-6")
    (variant,) = found["ProductionVariants"]
    assert variant["InstancePools"] == [pool(G6, 1), pool(G5, 2)]
    assert "InstanceType" not in variant


def test_pools_beside_an_instance_type_are_refused(aws: Aws) -> None:
    with pytest.raises(ClientError, match="InstancePools stands beside InstanceType"):
        config(aws, "pools-7", pool(G6, 1), InstanceType=G5)
