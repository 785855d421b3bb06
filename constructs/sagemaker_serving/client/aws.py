"""Where AWS is: a region, and perhaps another address than the real one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import boto3
from botocore import exceptions as aws_errors
from botocore.config import Config

from sagemaker_serving.errors import Failure, Mistake


@dataclass(frozen=True, kw_only=True)
class Aws:
    """The AWS that calls go to.

    ``region`` and ``profile`` default to what the shell and ``~/.aws`` say;
    ``endpoint_url`` is None for AWS itself, else an address that speaks its
    protocols, with ``access_key_id`` and ``secret_access_key`` for it.
    """

    region: str | None = None
    profile: str | None = None
    endpoint_url: str | None = None
    access_key_id: str | None = None
    secret_access_key: str | None = field(default=None, repr=False)

    def client(self, service: str) -> Any:
        """A boto3 client of ``service`` ("sagemaker-runtime", "s3", …).

        Raises `Mistake` when the region is unknown or the profile does not exist.
        """
        with aws_failures():
            session = boto3.session.Session(
                profile_name=self.profile,
                region_name=self.region,
                aws_access_key_id=self.access_key_id,
                aws_secret_access_key=self.secret_access_key,
            )
            return session.client(
                service,
                endpoint_url=self.endpoint_url,
                config=Config(retries={"mode": "standard"}, read_timeout=70),
            )


@contextmanager
def aws_failures() -> Iterator[None]:
    """Turns what botocore raises into errors of this project that say what to do."""
    try:
        yield
    except aws_errors.ProfileNotFound as error:
        raise Mistake(f"{error}; see `aws configure list-profiles`") from None
    except aws_errors.NoRegionError:
        raise Mistake("no AWS region is set; give --region, or set AWS_REGION") from None
    except (aws_errors.NoCredentialsError, aws_errors.PartialCredentialsError):
        raise Mistake(
            "there are no AWS credentials; run `aws sso login` or set AWS_PROFILE; "
            "for the local AWS give --local"
        ) from None
    except (
        aws_errors.ConnectionError,
        aws_errors.HTTPClientError,
    ) as error:
        raise Failure(f"AWS does not answer: {error}") from None
    except aws_errors.ClientError as error:
        answer = error.response["Error"]
        code, message = answer.get("Code", ""), answer.get("Message", "")
        if code in ("ExpiredToken", "ExpiredTokenException", "UnrecognizedClientException"):
            raise Mistake(f"the AWS credentials are not valid any more: {message}") from None
        raise Failure(f"{error.operation_name}: {code}: {message}") from None
