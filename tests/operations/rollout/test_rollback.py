"""Back to what was served before: found by what is kept, tried by SageMaker, watched to its end."""

from __future__ import annotations

from typing import Any

import pytest

from sagemaker_serving.errors import Failure, Mistake, NotFound
from sagemaker_serving.operations import find_rollback, versions, watch


def config_of(aws: Any, endpoint: str) -> str:
    return str(aws.sagemaker.describe_endpoint(EndpointName=endpoint)["EndpointConfigName"])


@pytest.fixture(scope="module")
def deployed(aws: Any) -> str:
    """A stack that was deployed three times, the third without success."""
    aws.deploy("prod-digits", "A", VERSION="1")
    aws.deploy("prod-digits", "B", VERSION="2")
    aws.deploy("prod-digits", "C", EXIT_AT_START="1")
    return "prod-digits"


def test_what_was_deployed_is_kept_and_what_failed_is_not(aws: Any, deployed: str) -> None:
    kept = [version.config for version in versions(deployed, aws.client_side)]
    assert [config.partition("-")[0] for config in kept] == ["ConfigB", "ConfigA"]


def test_the_way_back_leads_to_the_version_before_and_serves_it(aws: Any, deployed: str) -> None:
    newest = config_of(aws, deployed)
    assert aws.ask(deployed, b"x") == b"2"
    found = find_rollback(deployed, aws.client_side)
    assert found.serving.config == newest
    found.begin()
    *_, last = watch(deployed, aws.client_side, config=found.to.config, poll_seconds=0.1)
    assert last.kind == "done"
    assert aws.ask(deployed, b"x") == b"1"
    assert found.drift() == newest

    with pytest.raises(Mistake, match=r"no config of prod-digits older than ConfigA-.* was kept"):
        find_rollback(deployed, aws.client_side)

    forth = find_rollback(deployed, aws.client_side, to=newest)
    forth.begin()
    assert aws.settled(deployed)["EndpointConfigName"] == newest
    assert forth.drift() is None


def test_counts_stay_as_scaling_set_them(aws: Any) -> None:
    aws.endpoint("scaled", aws.version("scaled-1"))
    aws.version("scaled-2")
    aws.sagemaker.update_endpoint_weights_and_capacities(
        EndpointName="scaled",
        DesiredWeightsAndCapacities=[{"VariantName": "blue", "DesiredInstanceCount": 5}],
    )
    aws.settled("scaled")
    find_rollback("scaled", aws.client_side, to="scaled-2").begin()
    (variant,) = aws.settled("scaled")["ProductionVariants"]
    assert variant["DesiredInstanceCount"] == 5


def test_an_endpoint_that_is_on_its_way_takes_no_other(aws: Any) -> None:
    aws.endpoint("busy", aws.version("busy-1"))
    aws.hold()
    aws.update("busy", aws.version("busy-2", HELD="1"))
    try:
        with pytest.raises(Failure, match="busy is Updating; SageMaker takes no other update"):
            find_rollback("busy", aws.client_side, to="busy-2")
    finally:
        aws.let_go()


def test_an_endpoint_that_failed_takes_none(aws: Any) -> None:
    aws.endpoint("dead", aws.version("dead-1", EXIT_AT_START="1"))
    with pytest.raises(Failure, match="dead is Failed and takes no update; delete it"):
        find_rollback("dead", aws.client_side)


def test_what_cannot_be_gone_back_to_is_named(aws: Any, deployed: str) -> None:
    client = aws.client_side
    with pytest.raises(NotFound, match="there is no endpoint 'nobody'"):
        find_rollback("nobody", client)
    with pytest.raises(NotFound, match="there is no endpoint 'nobody'"):
        versions("nobody", client)
    with pytest.raises(NotFound, match="there is no endpoint config 'gone'"):
        find_rollback(deployed, client, to="gone")
    serving = config_of(aws, deployed)
    with pytest.raises(Mistake, match=f"prod-digits serves {serving} already"):
        find_rollback(deployed, client, to=serving)


def test_the_config_of_another_endpoint_is_refused(aws: Any, deployed: str) -> None:
    aws.endpoint("mine", aws.version("mine-1"))
    with pytest.raises(Mistake, match="was made for the endpoint prod-digits, not for mine"):
        find_rollback("mine", aws.client_side, to=config_of(aws, deployed))


def test_a_config_whose_model_is_gone_is_refused_before_anything_is_done(aws: Any) -> None:
    aws.endpoint("poor", aws.version("poor-1"))
    aws.sagemaker.delete_model(ModelName=aws.version("poor-2"))
    with pytest.raises(Mistake, match="the model poor-2 of variant blue is gone"):
        find_rollback("poor", aws.client_side, to="poor-2")
    assert aws.status("poor") == "InService"


def test_nothing_leads_from_instances_back_to_serverless(aws: Any) -> None:
    aws.endpoint("moved", aws.version("moved-1"))
    serverless = {"MemorySizeInMB": 1024, "MaxConcurrency": 1}
    aws.sagemaker.create_endpoint_config(
        EndpointConfigName="serverless-before",
        ProductionVariants=[
            {"VariantName": "blue", "ModelName": "moved-1", "ServerlessConfig": serverless}
        ],
    )
    with pytest.raises(Mistake, match="config serverless-before is serverless, and moved serves"):
        find_rollback("moved", aws.client_side, to="serverless-before")
