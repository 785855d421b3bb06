"""What a secret may be called."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.aws import Aws


@pytest.mark.parametrize("name", ["a b", "ä", "a:b", "a*"])
def test_a_name_that_secrets_manager_does_not_take_is_refused(aws: Aws, name: str) -> None:
    """Recorded by LocalStack's suite, 2023."""
    with pytest.raises(ClientError, match="Must be a valid name containing") as refused:
        aws.client("secretsmanager").create_secret(Name=name, SecretString="s")
    assert refused.value.response["Error"]["Code"] == "ValidationException"


def test_a_name_of_every_character_that_it_takes_is_none_the_worse(aws: Aws) -> None:
    name = "aZ09/_+=.@!-"
    made = aws.client("secretsmanager").create_secret(Name=name, SecretString="s")
    assert made["Name"] == name
