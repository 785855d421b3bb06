"""What AWS's own client of two-way streams makes of an endpoint "talker"."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from aws_sdk_sagemaker_runtime_http2.client import AsyncSageMakerRuntimeHTTP2Client
from aws_sdk_sagemaker_runtime_http2.config import AsyncSageMakerRuntimeHTTP2Config
from aws_sdk_sagemaker_runtime_http2.models import (
    InvokeEndpointWithBidirectionalStreamInput,
    ModelStreamError,
    RequestPayloadPart,
    RequestStreamEventPayloadPart,
)
from awscrt.io import ClientTlsContext, TlsContextOptions
from smithy_aws_core.identity import EnvironmentCredentialsResolver
from smithy_http.aio.crt import AWSCRTHTTPClient


class Trusting(AWSCRTHTTPClient):  # type: ignore[misc]
    """The client's transport, with the local AWS's authority in place of the system's."""

    def __init__(self, authority: Path) -> None:
        super().__init__()
        options = TlsContextOptions()
        options.override_default_trust_store(authority.read_bytes())
        self._tls_ctx = ClientTlsContext(options)

    def __deepcopy__(self, memo: object) -> Trusting:
        return self


async def main(url: str, authority: str, region: str) -> None:
    config = await AsyncSageMakerRuntimeHTTP2Config.resolve(
        endpoint_uri=url,
        region=region,
        transport=Trusting(Path(authority)),
        aws_credentials_identity_resolver=EnvironmentCredentialsResolver(),
    )
    client = AsyncSageMakerRuntimeHTTP2Client(config)
    asked = InvokeEndpointWithBidirectionalStreamInput(endpoint_name="talker")
    told: dict[str, object] = {}
    stream = await client.invoke_endpoint_with_bidirectional_stream(asked)
    output, answers = await stream.await_output()
    told["variant"] = output.invoked_production_variant
    said = []
    for word in ("hello", "there"):
        part = RequestPayloadPart(bytes_=word.encode(), data_type="UTF8")
        await stream.input_stream.send(RequestStreamEventPayloadPart(value=part))
        said.append((await answers.receive()).value.bytes_.decode())
    told["said"] = said
    part = RequestPayloadPart(bytes_=b"fail", data_type="UTF8")
    await stream.input_stream.send(RequestStreamEventPayloadPart(value=part))
    try:
        await answers.receive()
    except ModelStreamError as error:
        told["error"] = type(error).__name__
    print(json.dumps(told), flush=True)


asyncio.run(asyncio.wait_for(main(*sys.argv[1:]), 60))
