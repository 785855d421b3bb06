"""``python -m sagemaker_serving.model_server.stub``: no model, and every answer says so."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import time
from pathlib import Path
from typing import Any

from aiohttp import web

from sagemaker_serving.model_server.entry import container_arguments, run
from sagemaker_serving.model_server.supervisor import http_server

ATTRIBUTES = "X-Amzn-SageMaker-Custom-Attributes"
"""The one header of a container that InvokeEndpoint hands on."""

SAYS = "local-aws-stub=true"
STUB = {
    "stub": "no model has answered: a stub of the local AWS stands in for this image, as "
    "`sagemaker-serving local up --engine REPOSITORY=stub` says"
}


async def serve(model: Path, public: socket.socket, scratch: Path, stopping: asyncio.Event) -> None:
    """Answer on the listening socket ``public`` until ``stopping`` is set; no model is looked at.

    /ping is a 200 without a body; /v1/chat/completions is answered as OpenAI's API has it, streams
    included, with `STUB` for the message; all else is `STUB` and the header `ATTRIBUTES`.
    """
    async with http_server(_answer, public) as accept:
        await accept()
        await stopping.wait()


async def _answer(request: web.BaseRequest) -> web.StreamResponse:
    if request.path == "/ping":
        return web.Response()
    if request.path == "/v1/chat/completions":
        return await _chat(request)
    return web.json_response(STUB, headers={ATTRIBUTES: SAYS})


async def _chat(request: web.BaseRequest) -> web.StreamResponse:
    try:
        asked = json.loads(await request.read())
        told = [each["content"] for each in asked["messages"]]
    except (ValueError, KeyError, TypeError):
        error = {"message": "messages are wanted, each with its content", "code": 400}
        return web.json_response({"error": error}, status=400)
    words = STUB["stub"].split(" ")
    usage = {
        "prompt_tokens": sum(len(str(each).split()) for each in told),
        "completion_tokens": len(words),
    }
    usage["total_tokens"] = sum(usage.values())
    if asked.get("stream") is not True:
        message = {"role": "assistant", "content": STUB["stub"]}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return web.json_response(
            {**_completion("chat.completion", choice, asked), "usage": usage},
            headers={ATTRIBUTES: SAYS},
        )
    answer = web.StreamResponse(headers={"Content-Type": "text/event-stream", ATTRIBUTES: SAYS})
    await answer.prepare(request)
    for number, word in enumerate(words):
        delta = {"role": "assistant", "content": word if number == 0 else f" {word}"}
        last = "stop" if number == len(words) - 1 else None
        choice = {"index": 0, "delta": delta, "finish_reason": last}
        event = json.dumps(_completion("chat.completion.chunk", choice, asked))
        await answer.write(f"data: {event}\n\n".encode())
    await answer.write(b"data: [DONE]\n\n")
    return answer


def _completion(kind: str, choice: dict[str, Any], asked: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "chatcmpl-stub",
        "object": kind,
        "created": int(time.time()),
        "model": asked.get("model", ""),
        "choices": [choice],
    }


if __name__ == "__main__":
    sys.exit(run(container_arguments("sagemaker_serving.model_server.stub").parse_args(), serve))
