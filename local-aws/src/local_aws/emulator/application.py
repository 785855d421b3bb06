"""The emulator behind the gateway: one of its applications for each service of AWS.

Its answers become as AWS writes them. In JSON it writes members that it has nothing for as null.
AWS leaves them out, and its clients read null as a value: Terraform waits for a scalable target
whose RoleARN is null (hashicorp/aws 5.100 with moto 5.2.5). In XML it writes what XML 1.0 has no
way to carry.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from typing import Any

from botocore.exceptions import ClientError
from flask import Flask
from moto.core import responses, utils
from moto.moto_server import werkzeug_app
from werkzeug import Response
from werkzeug.exceptions import HTTPException

from local_aws.protocol.answers import carried_by_xml
from local_aws.protocol.call import JUDGED, Call
from local_aws.service import not_offered
from local_aws.state.requests import is_read

from .diagnosis import diagnosis

_log = logging.getLogger(__name__)

_CHANGED = re.compile(r"(changed size|keys changed|mutated) during iteration")
"""What Python says of a dictionary, a set or a deque that grows while it is gone through."""

_MOMENTS = 50
"""How often a read is asked for one that nothing comes between; two in a row were not enough."""

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
            answer = _answer_of_one_moment(self.get_application(environ), environ, call)
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


def _answer_of_one_moment(
    application: Flask, environ: dict[str, Any], call: Call | None
) -> Response:
    """What a read answers that nothing came between.

    The emulator locks nothing: DescribeAlarms failed while another thread made an alarm. A write
    is not asked again: it may have made half of what it makes.
    """
    for _ in range(_MOMENTS):
        try:
            return _answer(application, environ)
        except RuntimeError as broken:
            if call is None or not is_read(call.operation) or not _CHANGED.search(str(broken)):
                raise
            call.read_body()  # puts it back for the next time
    return _answer(application, environ)


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


def as_aws_writes(call: Call | None, answer: Response) -> Response:
    """The emulator's answer to a call, changed where AWS would write another."""
    if call is None or call.model is None:
        return answer
    if call.protocol in ("json", "rest-json"):
        return _without_nulls(call.model.output_shape, answer)
    if call.protocol in ("query", "ec2"):
        answer.data = carried_by_xml(answer.get_data(as_text=True))
    return answer


def _without_nulls(shape: Any, answer: Response) -> Response:
    if shape is None or "payload" in shape.serialization:
        return answer
    body = answer.get_data()
    if body.startswith(b"{") and b"null" in body:
        answer.data = json.dumps(_present(shape, json.loads(body)))
    return answer


def _present(shape: Any, value: Any) -> Any:
    """``value`` without members that are null; what its shape does not have is left as it is."""
    if isinstance(value, dict) and shape.type_name == "structure":
        members = {
            member.serialization.get("name", name): member for name, member in shape.members.items()
        }
        return {
            name: _present(members[name], each) if name in members else each
            for name, each in value.items()
            if each is not None
        }
    if isinstance(value, dict) and shape.type_name == "map":
        return {name: _present(shape.value, each) for name, each in value.items()}
    if isinstance(value, list) and shape.type_name == "list":
        return [_present(shape.member, each) for each in value]
    return value
