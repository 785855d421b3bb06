from __future__ import annotations

from xml.etree import ElementTree

import pytest

from sagemaker_serving.local.cloudformation.wire import read_request, write_answer
from sagemaker_serving.local.protocol import AwsError


def test_flattened_members_become_lists_of_structures() -> None:
    values = read_request(
        "CreateStack",
        {
            "StackName": "s",
            "Parameters.member.2.ParameterKey": "B",
            "Parameters.member.2.UsePreviousValue": "true",
            "Parameters.member.1.ParameterKey": "A",
            "Parameters.member.1.ParameterValue": "",
            "Capabilities.member.1": "CAPABILITY_IAM",
            "TimeoutInMinutes": "5",
            "DisableRollback": "false",
            "Version": "2010-05-15",
        },
    )

    assert values == {
        "StackName": "s",
        "Parameters": [
            {"ParameterKey": "A", "ParameterValue": ""},
            {"ParameterKey": "B", "UsePreviousValue": True},
        ],
        "Capabilities": ["CAPABILITY_IAM"],
        "TimeoutInMinutes": 5,
        "DisableRollback": False,
    }


def test_more_than_nine_members_keep_their_order() -> None:
    form = {f"Capabilities.member.{n}": str(n) for n in range(12, 0, -1)}

    values = read_request("CreateStack", {"StackName": "s", **form})

    assert values["Capabilities"] == [str(n) for n in range(1, 13)]


def test_an_empty_list_is_kept() -> None:
    values = read_request("CreateStack", {"StackName": "s", "NotificationARNs": ""})

    assert values["NotificationARNs"] == []


def test_a_missing_required_member_is_named() -> None:
    with pytest.raises(AwsError, match="'stackName'"):
        read_request("CreateStack", {})


def test_an_unknown_action_is_refused() -> None:
    with pytest.raises(AwsError, match="MakeCoffee"):
        read_request("MakeCoffee", {})


def test_an_answer_is_written_in_the_result_wrapper() -> None:
    text = write_answer("DescribeStacks", {"Stacks": [{"StackName": "a<b", "Outputs": []}]})

    namespace = "{http://cloudformation.amazonaws.com/doc/2010-05-15/}"
    root = ElementTree.fromstring(text)
    assert root.tag == f"{namespace}DescribeStacksResponse"
    name = root.find(f"{namespace}DescribeStacksResult/{namespace}Stacks/{namespace}member")
    assert name is not None
    assert name.findtext(f"{namespace}StackName") == "a<b"


def test_absent_members_are_left_out() -> None:
    assert "NextToken" not in write_answer("DescribeStacks", {"Stacks": [], "NextToken": None})


def test_what_xml_cannot_carry_does_not_break_the_answer() -> None:
    text = write_answer("DescribeStacks", {"Stacks": [{"StackStatusReason": "\x1b[31mred\r\n"}]})

    reason = next(
        element.text
        for element in ElementTree.fromstring(text).iter()
        if element.tag.endswith("StackStatusReason")
    )
    assert reason == "\ufffd[31mred\r\n"
