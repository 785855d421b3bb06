"""Parameters' names: which can be one, and by which a parameter is answered."""

from __future__ import annotations

import json

import pytest

from tests.local_aws.aws import Aws
from tests.local_aws.permissions.callers import refusal


@pytest.mark.parametrize("name", ["x y", "/a//b", "a/b", "/a/", "ä", "a:b:c"])
def test_a_name_that_can_be_none_is_refused(aws: Aws, name: str) -> None:
    """Recorded by LocalStack's suite: the words of PutParameter, for GetParameter too."""
    ssm = aws.client("ssm")
    for call, more in (
        (ssm.put_parameter, {"Value": "1", "Type": "String"}),
        (ssm.get_parameter, {}),
    ):
        status, code, message = refusal(call, Name=name, **more)
        assert (status, code) == (400, "ValidationException")
        assert "sub-paths divided by slash symbol" in message
    assert refusal(ssm.get_parameters, Names=["fine", name])[1] == "ValidationException"


def test_a_parameter_is_answered_by_the_name_that_was_asked(aws: Aws) -> None:
    ssm = aws.client("ssm")
    ssm.put_parameter(Name="plain", Value="1", Type="String")
    for name in ("plain", "/plain"):
        assert ssm.get_parameter(Name=name)["Parameter"]["Name"] == name
        assert [each["Name"] for each in ssm.get_parameters(Names=[name])["Parameters"]] == [name]
    assert ssm.get_parameter(Name="plain:1")["Parameter"]["Name"] == "plain"
    arn = ssm.get_parameter(Name="plain")["Parameter"]["ARN"]
    assert ssm.get_parameter(Name=arn)["Parameter"]["Name"] == "plain"


def test_a_name_that_was_asked_for_in_vain_is_none(aws: Aws) -> None:
    ssm = aws.client("ssm")
    label = ssm.label_parameter_version
    assert refusal(label, Name="/in/vain", Labels=["l"])[1] == "ParameterNotFound"
    assert ssm.get_parameters_by_path(Path="/in", Recursive=True)["Parameters"] == []
    assert refusal(ssm.get_parameter, Name="/in/vain")[1] == "ParameterNotFound"


def test_a_secret_is_a_parameter_by_its_path(aws: Aws) -> None:
    arn = aws.client("secretsmanager").create_secret(Name="kept", SecretString="s3cret")["ARN"]
    ssm = aws.client("ssm")
    path = "/aws/reference/secretsmanager/kept"
    found = ssm.get_parameter(Name=path, WithDecryption=True)["Parameter"]
    assert (found["Name"], found["Value"], found["Type"]) == (path, "s3cret", "SecureString")
    source = json.loads(found["SourceResult"])
    assert (source["ARN"], source["name"], source["secretString"]) == (arn, "kept", "s3cret")
    assert refusal(ssm.get_parameter, Name="kept", WithDecryption=True)[1] == "ParameterNotFound"
