"""Objects in S3 as streams: what cannot be opened is named."""

from __future__ import annotations

import pytest

from local_aws.gateway import Gateway
from sagemaker_serving.client import Aws, open_object
from sagemaker_serving.errors import Mistake, NotFound
from tests.local_aws.aws import client_of


def local(gateway: Gateway) -> Aws:
    return client_of(gateway)


def test_an_object_is_read_in_parts(gateway: Gateway) -> None:
    local(gateway).client("s3").put_object(
        Bucket="models", Key="folder/a b?.bin", Body=b"0123456789"
    )
    with open_object(local(gateway), "s3://models/folder/a b?.bin") as stream:
        assert [stream.read(4), stream.read(100), stream.read(1)] == [b"0123", b"456789", b""]


@pytest.mark.parametrize("uri", ["s3://models/none", "s3://no-such-bucket/key"])
def test_what_is_not_there_is_named(gateway: Gateway, uri: str) -> None:
    with (
        pytest.raises(NotFound, match=f"there is nothing at {uri}"),
        open_object(local(gateway), uri),
    ):
        pass


@pytest.mark.parametrize("uri", ["s3://", "s3://bucket", "s3://bucket/", "https://bucket/key"])
def test_what_is_no_address_is_named(uri: str) -> None:
    with pytest.raises(Mistake, match="is no address in S3"), open_object(Aws(), uri):
        pass
