"""Code that no model brings: where it lies, and how it comes from S3."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from sagemaker_serving.errors import Failure
from sagemaker_serving.model_server.contract import Contract
from sagemaker_serving.model_server.discovery import Code
from sagemaker_serving.model_server.settings import Settings, UniversalCode

log = logging.getLogger("front")


class CodeNotFetched(Failure):
    """S3 did not give the universal code; the message ends with its reason."""


def find_universal_code(
    settings: Settings, contract: Contract, model_dir: Path, scratch: Path
) -> Code:
    """The code that all requests, or those to models without any, go through.

    In single-model mode it is the model's. A folder that has to be filled from
    S3 lies in ``scratch``, not in the user's own.
    """
    if not settings.multi_model or contract.multi_model.code_beside_models:
        code = Code(model_dir / "code")
    elif settings.universal_code.folder is not None:
        code = Code(settings.universal_code.folder)
    else:
        code = Code(scratch / "code")
    if code.folder.exists() or not settings.universal_code.is_in_s3:
        return code
    return Code(scratch / "code")


async def fetch_universal_code(source: UniversalCode, code: Code, contract: Contract) -> None:
    """Fill the code folder from S3, unless it is there; raises `CodeNotFetched`.

    Credentials and address are those of the container's environment.
    """
    if source.is_in_s3 and not code.folder.exists():
        keeps_keys = contract.multi_model.keeps_keys
        await asyncio.to_thread(_fetch, source, code.folder, keeps_keys=keeps_keys)


def _fetch(source: UniversalCode, folder: Path, *, keeps_keys: bool) -> None:
    import boto3
    from boto3.exceptions import Boto3Error
    from botocore.exceptions import BotoCoreError, ClientError

    log.info("downloading universal scripts ...")
    try:
        s3 = boto3.client("s3")
        pages = s3.get_paginator("list_objects").paginate(
            Bucket=source.bucket, Delimiter="/", Prefix=source.prefix
        )
        for key in [item["Key"] for page in pages for item in page.get("Contents", [])]:
            if key.endswith("/"):
                continue  # a console's "folder", which is an object without content
            target = folder / (key if keeps_keys else key.rpartition("/")[2])
            target.parent.mkdir(parents=True, exist_ok=True)
            s3.download_file(source.bucket, key, str(target))
    except (BotoCoreError, ClientError, Boto3Error) as error:
        raise CodeNotFetched(
            f"universal scripts of s3://{source.bucket}/{source.prefix}: {error}"
        ) from error
