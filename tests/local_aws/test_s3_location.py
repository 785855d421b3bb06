"""Every URL that names a place in S3 is read alike."""

from __future__ import annotations

import re

import botocore.session
import pytest

from local_aws.s3_location import S3Location

HOSTS = {
    "s3.amazonaws.com": None,
    "s3.eu-west-1.amazonaws.com": "eu-west-1",
    "s3-eu-west-1.amazonaws.com": "eu-west-1",
    "s3.dualstack.eu-west-1.amazonaws.com": "eu-west-1",
    "s3-fips.us-gov-west-1.amazonaws.com": "us-gov-west-1",
    "s3-fips.dualstack.us-east-2.amazonaws.com": "us-east-2",
    "s3.cn-north-1.amazonaws.com.cn": "cn-north-1",
    "s3.eusc-de-east-1.amazonaws.eu": "eusc-de-east-1",
    "s3-external-1.amazonaws.com": "us-east-1",
}
"""Hosts, and the region that they name."""


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("bucket", ["models", "my.models.s3"])
@pytest.mark.parametrize("key", ["", "a/b.tar.gz"])
def test_the_bucket_stands_in_the_host_or_in_the_path(host: str, bucket: str, key: str) -> None:
    for url in (f"https://{bucket}.{host}/{key}", f"https://{host}/{bucket}/{key}"):
        found = S3Location.parse(url)
        assert (found.bucket, found.key, found.region) == (bucket, key, HOSTS[host])
        assert found == S3Location.parse(f"s3://{bucket}/{key}")


def test_a_path_is_decoded_and_a_key_behind_s3_is_not() -> None:
    assert S3Location.parse("https://s3.amazonaws.com/b/a%20b").key == "a b"
    assert S3Location.parse("s3://b/a%20b?c#d").key == "a%20b?c#d"


@pytest.mark.parametrize(
    "url",
    [
        "s3://",
        "s3:///key",
        "https://s3.eu-west-1.amazonaws.com",
        "https://s3.eu-west-1.amazonaws.com/",
        "https://models.s3-website-eu-west-1.amazonaws.com/key",
        "https://models.s3.example.com/key",
        "https://example.com/models/key",
        "https://[models/key",
        "http://s3.amazonaws.com/models/key",
        "models/key",
        "",
    ],
)
def test_no_other_address_is_one_in_s3(url: str) -> None:
    assert S3Location.find(url) is None
    with pytest.raises(ValueError, match=re.escape(f"'{url}' is not an s3://bucket/key address")):
        S3Location.parse(url)


def test_what_sagemakers_patterns_take_is_read() -> None:
    """Both schemes of every pattern that names one of them, as botocore knows SageMaker."""
    model = botocore.session.get_session().get_service_model("sagemaker")
    patterns = {
        pattern
        for name in model.shape_names
        if (pattern := model.shape_for(name).metadata.get("pattern", "")).startswith("(https|s3)")
    }
    assert patterns == {"(https|s3)://([^/]+)/?(.*)", "(https|s3)://([^/])/?(.*)"}
