"""Pages of a list: filtered, sorted, and stable while things come and go."""

from __future__ import annotations

from typing import Any

import pytest

from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.common.listing import DEFAULT_PAGE, Listing
from sagemaker_serving.local_sagemaker.common.store import Resource

LISTING = Listing(
    items="Endpoints", kind="Endpoint", members=("EndpointName",), status="EndpointStatus"
)


def endpoint(number: int, status: str = "InService") -> Resource:
    return {
        "EndpointName": f"endpoint-{number:03}",
        "EndpointStatus": status,
        "CreationTime": 1000.0 + number,
        "LastModifiedTime": 2000.0 + number,
    }


def names(page: dict[str, Any]) -> list[str]:
    return [found["EndpointName"] for found in page["Endpoints"]]


def test_the_newest_come_first() -> None:
    page = LISTING.page([endpoint(1), endpoint(3), endpoint(2)], {})
    assert names(page) == ["endpoint-003", "endpoint-002", "endpoint-001"]
    assert "NextToken" not in page


@pytest.mark.parametrize("order", ["Ascending", "Descending"])
@pytest.mark.parametrize("sort_by", ["Name", "CreationTime", "Status"])
def test_pages_hold_everything_once(sort_by: str, order: str) -> None:
    everything = [endpoint(number) for number in range(25)]
    found: list[str] = []
    parameters: dict[str, Any] = {"SortBy": sort_by, "SortOrder": order}
    while True:
        page = LISTING.page(everything, parameters)
        assert len(page["Endpoints"]) <= DEFAULT_PAGE
        found += names(page)
        if "NextToken" not in page:
            break
        parameters["NextToken"] = page["NextToken"]
    assert found == sorted(found, reverse=order == "Descending")
    assert len(found) == 25


def test_a_page_is_as_long_as_it_was_asked_to_be() -> None:
    everything = [endpoint(number) for number in range(5)]
    assert len(LISTING.page(everything, {"MaxResults": 5})["Endpoints"]) == 5
    assert "NextToken" not in LISTING.page(everything, {"MaxResults": 5})
    assert "NextToken" in LISTING.page(everything, {"MaxResults": 4})


def test_a_token_outlives_what_it_pointed_at() -> None:
    everything = [endpoint(number) for number in range(4)]
    token = LISTING.page(everything, {"MaxResults": 2})["NextToken"]
    rest = LISTING.page([everything[0], everything[1], endpoint(9)], {"NextToken": token})
    assert names(rest) == ["endpoint-001", "endpoint-000"]


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"NameContains": "POINT-001"}, ["endpoint-001"]),
        ({"StatusEquals": "Failed"}, ["endpoint-002"]),
        ({"CreationTimeAfter": 1001.0}, ["endpoint-002"]),
        ({"CreationTimeBefore": 1002}, ["endpoint-001"]),
        ({"LastModifiedTimeAfter": "1970-01-01T00:33:21Z"}, ["endpoint-002"]),
        ({"NameContains": "other"}, []),
    ],
)
def test_what_does_not_match_is_left_out(parameters: dict[str, Any], expected: list[str]) -> None:
    everything = [endpoint(1), endpoint(2, status="Failed")]
    assert names(LISTING.page(everything, parameters)) == expected


def test_a_token_that_is_none_of_ours_is_refused() -> None:
    with pytest.raises(AwsError, match="the NextToken 'nonsense' is not one"):
        LISTING.page([], {"NextToken": "nonsense"})
