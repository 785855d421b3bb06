"""TF Serving's REST port: paths, statuses and bodies over HTTP."""

from __future__ import annotations

import logging
import re
from functools import partial
from urllib.parse import unquote

from aiohttp import web

from sagemaker_serving.model_server.bodies import read_body
from sagemaker_serving.model_server.engine.answers import error_answer
from sagemaker_serving.model_server.engine.registry import Registry
from sagemaker_serving.model_server.engine.service import Service
from sagemaker_serving.model_server.engine.status import StatusError, invalid
from sagemaker_serving.model_server.link import Reply

log = logging.getLogger("engine")

_PREDICTION = re.compile(
    r"/v1/models/([^/:]+)(?:(?:/versions/(\d+))|(?:/labels/([^/:]+)))?"
    r":(classify|regress|predict)",
    re.IGNORECASE | re.ASCII,
)
_STATUS = re.compile(
    r"/v1/models(?:/([^/:]+))?(?:(?:/versions/(\d+))|(?:/labels/([^/:]+)))?(?:/(metadata))?",
    re.IGNORECASE | re.ASCII,
)
_INT64_MAX = 2**63 - 1

_NO_HANDLER = (
    b"<HTML><HEAD>\n<TITLE>404 Not Found</TITLE>\n</HEAD>"
    b"<BODY>\n<H1>Not Found</H1>\n</BODY></HTML>\n"
)


class RestApi:
    """Answers every request to the REST port; made into a server by `aiohttp.web.Server`."""

    def __init__(self, registry: Registry, service: Service) -> None:
        self._registry = registry
        self._methods = {
            "predict": service.predict,
            "classify": service.classify,
            "regress": service.regress,
        }

    async def handle(self, request: web.BaseRequest) -> web.Response:
        """The answer to an HTTP request; wrap it in `browsers.without_browsers` for a port."""
        reply = await self.answer(request.method, request.raw_path, await read_body(request))
        return web.Response(
            status=reply.status, body=reply.body, headers={"Content-Type": reply.content_type}
        )

    async def answer(self, method: str, path: str, body: bytes) -> Reply:
        """The answer; a `StatusError` becomes its HTTP status and ``{"error": …}``."""
        path = path.partition("?")[0]
        if not path.lower().startswith("/v1/"):
            return Reply(404, _NO_HANDLER, "text/html")
        try:
            return _json(200, await self._answer(method, path, body))
        except StatusError as error:
            return _json(error.code.http_status, error_answer(error.message))
        except _BadVersion:
            return _json(400, "")
        except Exception:
            log.exception("exception handling %s %s", method, path)
            return _json(500, error_answer("Internal error; the server's log has the details"))

    async def _answer(self, method: str, path: str, body: bytes) -> str:
        if method == "POST" and (match := _PREDICTION.fullmatch(path)):
            find = partial(self._registry.find, *_model(match))
            return await self._methods[match[4].lower()](find, body)
        if method == "GET" and (match := _STATUS.fullmatch(path)):
            name, version, label = _model(match)
            if not name:
                raise invalid("Missing model name in request.")
            if match[4]:
                return self._registry.metadata(name, version, label)
            return self._registry.status(name, version)
        raise invalid(f"Malformed request: {method} {path}")


class _BadVersion(Exception):
    """A version past 64 bits: TF Serving gives up before it has a body to send."""


def _model(match: re.Match[str]) -> tuple[str, int | None, str | None]:
    version = None if match[2] is None else int(match[2])
    if version is not None and version > _INT64_MAX:
        raise _BadVersion
    return unquote(match[1] or ""), version, None if match[3] is None else unquote(match[3])


def _json(status: int, text: str) -> Reply:
    return Reply(status, text.encode(errors="surrogateescape"))
