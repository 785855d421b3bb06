"""A function is meant by its name, a part of its ARN, or the whole, with a qualifier or without."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local_aws.credentials import ACCOUNT_ID
from local_aws.protocol import AwsError
from local_aws.services.lambda_.names import Target, qualifier_of, refuse_foreign

REGION = "eu-west-1"
names = st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True)
qualifiers = (
    st.just("") | st.just("$LATEST") | st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True)
)
places = st.sampled_from(
    [
        "",
        "function:",
        "123456789012:function:",
        f"arn:aws:lambda:{REGION}:123456789012:function:",
    ]
)


def is_no_part_of_an_arn(name: str) -> bool:
    return name != "function" and not name.isdecimal()


@given(places, names.filter(is_no_part_of_an_arn), qualifiers)
def test_every_way_to_name_a_function_means_it(place: str, name: str, qualifier: str) -> None:
    text = f"{place}{name}{qualifier and ':'}{qualifier}"
    assert Target.parse(text, REGION) == Target(name, qualifier)
    assert qualifier_of({"FunctionName": text}, REGION) == qualifier


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("arn:aws:lambda:us-east-1:123456789012:function:f", "ResourceNotFoundException"),
        ("a b", "ValidationException"),
        ("", "ValidationException"),
        ("arn:aws:sns:eu-west-1:123456789012:f", "ValidationException"),
    ],
)
def test_what_is_elsewhere_or_no_name_is_refused(text: str, code: str) -> None:
    with pytest.raises(AwsError) as refused:
        Target.parse(text, REGION)
    assert refused.value.code == code


@pytest.mark.parametrize(
    "text", ["999999999999:function:f", "arn:aws:lambda:eu-west-1:999999999999:function:f:1"]
)
def test_a_function_of_another_account_is_refused(text: str) -> None:
    with pytest.raises(AwsError, match="999999999999") as refused:
        refuse_foreign(text, ACCOUNT_ID)
    assert refused.value.code == "AccessDeniedException"
    refuse_foreign(text, "999999999999")


@given(names.filter(is_no_part_of_an_arn), qualifiers, qualifiers)
def test_two_qualifiers_of_one_request_are_the_same(name: str, one: str, other: str) -> None:
    """Recorded by LocalStack's suite, November 2025."""
    request = {"FunctionName": f"{name}{one and ':'}{one}", "Qualifier": other or None}
    if one and other and one != other:
        with pytest.raises(AwsError) as refused:
            qualifier_of(request, REGION)
        assert refused.value.code == "InvalidParameterValueException"
    else:
        assert qualifier_of(request, REGION) == (one or other)
