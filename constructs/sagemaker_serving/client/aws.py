"""Where AWS is: a region, and perhaps another address than the real one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
from boto3.exceptions import Boto3Error
from botocore import exceptions as aws_errors
from botocore.config import Config

from local_aws.boto import DIRECTLY, isolated_session
from sagemaker_serving.errors import Failure, Mistake, NotFound

if TYPE_CHECKING:
    from local_aws.process.address import Address


@dataclass(frozen=True, kw_only=True)
class Aws:
    """The AWS that calls go to.

    ``region`` and ``profile`` default to what the shell and ``~/.aws`` say;
    ``endpoint_url`` is None for AWS itself, else an address that speaks its
    protocols. With ``access_key_id`` and ``secret_access_key`` nothing in the
    shell and in ``~/.aws`` has a say in the calls: no profile, no proxy.
    """

    region: str | None = None
    profile: str | None = None
    endpoint_url: str | None = None
    access_key_id: str | None = None
    secret_access_key: str | None = field(default=None, repr=False)

    @classmethod
    def at(cls, address: Address, region: str) -> Aws:
        """A local AWS that runs on this machine."""
        keys = address.credentials
        return cls(
            region=region,
            endpoint_url=address.url,
            access_key_id=keys.access_key_id,
            secret_access_key=keys.secret_access_key,
        )

    @classmethod
    def local(cls, endpoint_name: str | None = None, *, state_dir: Path | None = None) -> Aws:
        """The local AWS that `sagemaker-serving local up` has started in this folder.

        ``state_dir`` is its folder where that is another than ``.sagemaker-serving``. The region is
        that of ``endpoint_name``, else the only one with anything in it, else the shell's. Raises
        `NotFound` where none runs.
        """
        from local_aws.process.address import answers, find
        from local_aws.process.region import local_region

        named = os.environ.get("SAGEMAKER_SERVING_STATE_DIR") or ".sagemaker-serving"
        folder = Path(named) if state_dir is None else state_dir
        if not answers(folder):
            raise NotFound(
                f"no local AWS runs in {folder}; start one with `sagemaker-serving local up`"
            )
        address = find(folder)
        return cls.at(address, local_region(address, endpoint_name))

    @property
    def option(self) -> str:
        """What follows a command that a message names, so that it asks the same AWS."""
        return "" if self.endpoint_url is None else " --local"

    def client(self, service: str, *, connections: int = 10, connect_seconds: float = 60.0) -> Any:
        """A boto3 client of ``service`` ("sagemaker-runtime", "s3", …).

        ``connections`` are kept open for use by as many threads;
        ``connect_seconds`` (default 60) is the time to make one. Raises
        `Mistake` when the region is unknown or the profile does not exist.
        """
        (made,) = self.clients(
            service, [self.region], connections=connections, connect_seconds=connect_seconds
        )
        return made

    def clients(
        self,
        service: str,
        regions: Iterable[str | None],
        *,
        connections: int = 10,
        connect_seconds: float = 60.0,
    ) -> list[Any]:
        """The same in several regions, for which botocore's data is read once."""
        config = Config(
            retries={"mode": "standard"},
            connect_timeout=connect_seconds,
            read_timeout=70,
            max_pool_connections=connections,
            tcp_keepalive=True,
        )
        given: dict[str, Any] = {}
        with aws_failures():
            if self.access_key_id is None:
                # boto3 itself reads AWS_DEFAULT_REGION alone; the AWS CLI and other SDKs both.
                region = self.region if self.region is not None else os.environ.get("AWS_REGION")
                session = boto3.session.Session(profile_name=self.profile, region_name=region)
            else:
                session = isolated_session()
                config = config.merge(DIRECTLY)
                given["aws_access_key_id"] = self.access_key_id
                given["aws_secret_access_key"] = self.secret_access_key
            return [
                session.client(
                    service,
                    region_name=region,
                    endpoint_url=self.endpoint_url,
                    config=config,
                    **given,
                )
                for region in regions
            ]


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
            "for the local AWS give --local, or where a command has no such option, run it after "
            '`eval "$(sagemaker-serving local env)"`'
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
    except aws_errors.ParamValidationError as error:
        told = " ".join(str(error).split()).removeprefix("Parameter validation failed: ")
        raise Mistake(f"AWS would refuse the request: {told}") from None
    except aws_errors.IncompleteReadError as error:
        raise Failure(f"the connection to AWS broke off: {error}; try again") from None
    except (aws_errors.BotoCoreError, Boto3Error) as error:
        raise Failure(f"AWS could not be asked: {error}") from None
