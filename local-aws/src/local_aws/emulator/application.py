"""The emulator behind the gateway: one of its applications for each service of AWS."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from typing import Any

from botocore.exceptions import ClientError
from flask import Flask
from moto.core import responses, utils
from moto.moto_server import werkzeug_app
from werkzeug import Response
from werkzeug.exceptions import HTTPException

from local_aws.protocol.call import JUDGED, Call
from local_aws.service import not_offered

from .answers import as_aws_writes
from .diagnosis import diagnosis

_log = logging.getLogger(__name__)

werkzeug_app.DISABLE_GLOBAL_CORS = True
"""The emulator would let every web page read every answer; what a bucket's own rules say is
left to S3."""

responses.method_names_from_class = cache(utils.method_names_from_class)
"""The emulator would look through all of a service's operations for each request."""


class Emulator(werkzeug_app.DomainDispatcherApplication):  # type: ignore[misc]
    """Finds a request's application by what its signature was verified for, and by nothing else.

    The emulator itself looks at the path first, where it has pages that reset it or stand for an
    instance's metadata, and guesses the service of what is not signed.
    """

    def __init__(self) -> None:
        super().__init__(werkzeug_app.create_backend_app)
        # The emulator would list its own folder anew for each request.
        self._backend = lru_cache(maxsize=1024)(self.get_backend_for_host)

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Answer one request.

        Raises `AwsError` for an operation that it does not have, and for what it does not look at
        before it uses it; the log has where it broke.
        """
        call: Call | None = environ.get(JUDGED)
        try:
            answer = _answer(self.get_application(environ), environ)
        except NotImplementedError as lacking:
            raise not_offered(call) from lacking
        except Exception as broken:
            if call is None or call.model is None or (wrong := diagnosis(call, broken)) is None:
                raise
            # It is a guess, and the emulator's own fault looks the same.
            _log.exception("%s of %s was answered: %s", call.operation, call.service, wrong)
            raise wrong from broken
        return as_aws_writes(call, answer)(environ, start_response)

    def get_application(self, environ: dict[str, Any]) -> Any:
        """The application of the service in the Authorization header, as the gateway wrote it.

        Raises NotImplementedError for a service that the emulator does not have.
        """
        with self.lock:
            host = self.infer_service_region_host(environ, environ.get("PATH_INFO", ""))
            backend = self._backend(host)
            if backend is None:
                raise NotImplementedError(host)
            if backend not in self.app_instances:
                self.app_instances[backend] = self.create_app(backend)
            return self.app_instances[backend]


def _answer(application: Flask, environ: dict[str, Any]) -> Response:
    """What the emulator's own view of a request answers.

    Without Flask around it: no view looks at its contexts and sessions, and they are a third of
    what a call of the emulator takes.
    """
    request: Any = application.request_class(environ)
    try:
        urls = application.create_url_adapter(request)
        assert urls is not None
        endpoint, _ = urls.match()
        view: Any = application.view_functions[endpoint]
        said = view.callback(request, request.raw_url, dict(request.headers))
    except HTTPException as refused:
        return Response.force_type(refused.get_response(environ))
    except ClientError as refused:
        said = 400, {}, refused.response["Error"]["Message"]
    status, headers, content = said if len(said) == 3 else (200, {}, said)
    answer = application.response_class(content, status, headers)
    if request.method == "HEAD" and "content-length" in headers:
        answer.headers["Content-Length"] = headers["content-length"]
    return answer
