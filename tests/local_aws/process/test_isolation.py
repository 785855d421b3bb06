"""Nothing of the user's AWS reaches a process of the local AWS, nor does it lead away from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from local_aws.credentials import Credentials
from local_aws.process.address import Address
from local_aws.process.isolation import NOTHING_OF_THE_USERS, isolated, no_proxy
from sagemaker_serving.client import Aws

HERE = Address(url="http://localhost:4570", pid=1, credentials=Credentials.made())

LEADING_AWAY = {
    "AWS_ACCESS_KEY_ID": "their-key",
    "AWS_SECRET_ACCESS_KEY": "their-secret",
    "AWS_SESSION_TOKEN": "their-token",
    "AWS_PROFILE": "production",
    "AWS_DEFAULT_PROFILE": "production",
    "AWS_CONFIG_FILE": "/home/them/config",
    "AWS_SHARED_CREDENTIALS_FILE": "/home/them/credentials",
    "AWS_ENDPOINT_URL": "https://their.example",
    "AWS_ENDPOINT_URL_S3": "https://their.example",
    "AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME": "https://their.example",
    "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true",
    "AWS_USE_FIPS_ENDPOINT": "true",
    "AWS_USE_DUALSTACK_ENDPOINT": "true",
    "AWS_CA_BUNDLE": "/home/them/bundle.pem",
    "AWS_ROLE_ARN": "their-role",
    "AWS_WEB_IDENTITY_TOKEN_FILE": "/home/them/token",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://169.254.170.2/their-credentials",
    "AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://169.254.169.254",
    "BOTO_CONFIG": "/home/them/boto",
    "HTTP_PROXY": "http://proxy.example:8080",
    "https_proxy": "http://proxy.example:8080",
    "ALL_PROXY": "http://proxy.example:8080",
    "no_proxy": "their.example",
}


@pytest.mark.parametrize("name", LEADING_AWAY)
def test_no_variable_that_leads_away_is_kept(name: str) -> None:
    kept = isolated({name: LEADING_AWAY[name], "HOME": "/home/them"})
    assert kept == {"HOME": "/home/them", **NOTHING_OF_THE_USERS}


@pytest.mark.parametrize("service", ["s3", "sagemaker-runtime", "cloudformation", "sts"])
def test_a_client_of_the_local_aws_heeds_nothing_in_the_shell(
    monkeypatch: pytest.MonkeyPatch, service: str
) -> None:
    for name, value in LEADING_AWAY.items():
        monkeypatch.setenv(name, value)
    client = Aws.at(HERE, "eu-west-1").client(service)
    assert client.meta.endpoint_url == HERE.url
    assert client.meta.config.proxies == {}
    credentials = client._request_signer._credentials
    assert credentials.access_key == HERE.credentials.access_key_id
    assert credentials.token is None


def test_a_profile_of_the_shell_is_heeded_by_clients_of_the_real_aws(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "config").write_text("[profile theirs]\nregion = eu-north-1\n")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_PROFILE", "theirs")
    assert Aws().client("s3").meta.region_name == "eu-north-1"


def test_nothing_asks_this_machine_by_way_of_a_proxy() -> None:
    """`urlopen` heeds ``http_proxy``, for ``localhost``, too; functions have no such variable."""
    root = Path(__file__).parents[3]
    asking = [
        path.name
        for source in ("constructs/sagemaker_serving", "local-aws/src/local_aws")
        for path in (root / source).rglob("*.py")
        if "functions" not in path.relative_to(root / source).parts[:1]
        and "request.urlopen(" in path.read_text(encoding="utf-8")
    ]
    assert asking == ["cfnresponse.py"]


@pytest.mark.parametrize(
    ("present", "wanted"),
    [
        ({}, "localhost"),
        ({"NO_PROXY": "a.example"}, "localhost,a.example"),
        ({"no_proxy": "b.example", "NO_PROXY": "a.example"}, "localhost,b.example"),
        ({"no_proxy": "localhost,b.example"}, "localhost,b.example"),
    ],
)
def test_no_proxy_is_asked_for_this_machine(present: dict[str, str], wanted: str) -> None:
    assert no_proxy(present) == wanted
