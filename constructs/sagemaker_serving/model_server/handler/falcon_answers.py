"""What falcon and gunicorn of the image make of what handlers return, and of what nobody catches.

Run on 2026-11-23: falcon 2.0.0 with gunicorn 20.0.4, 3.0.1 with 20.1.0 and 3.1.0 with 23.0.0, the
versions of the images' Dockerfiles (aws/deep-learning-containers f06ada0e08 and e0ecede), behind
nginx 1.30.3. In falcon: ``Response.render_body`` and ``App._get_body``; in gunicorn:
``http/wsgi.py``, Response.write.
"""

from __future__ import annotations

import logging
from typing import Any

import falcon

log = logging.getLogger("handler")

_GUNICORN_PAGE = b"""<html>
  <head>
    <title>Internal Server Error</title>
  </head>
  <body>
    <h1><p>Internal Server Error</p></h1>
    \n  </body>
</html>
"""


class Uncaught(Exception):
    """Where the image's Python service has an exception that it does not catch."""


def new_application(falcon_major: int) -> falcon.App:
    """An application without routes, whose errors are those of the image's falcon."""
    body, content_type = b'{"title": "500 Internal Server Error"}', falcon.MEDIA_JSON
    if falcon_major == 2:
        body, content_type = _GUNICORN_PAGE, "text/html"

    def uncaught(_: Any, response: falcon.Response, error: Exception, __: Any) -> None:
        if not isinstance(error, Uncaught):
            log.error("uncaught", exc_info=error)
        response.status = falcon.HTTP_500
        response.content_type = content_type
        response.data = body

    app = falcon.App()
    app.add_error_handler(Exception, uncaught)
    if falcon_major == 2:
        app.set_error_serializer(_serialized)
    return app


def give(response: falcon.Response, body: Any, content_type: Any, falcon_major: int) -> None:
    """Answer with what a handler returned, of which only bytes, text and None are sent.

    Of falcon 3, what is empty is sent as nothing, what has no length is a 500 without a body, and
    of everything else gunicorn sends the headers and hangs up: the front makes a 502 of it.
    """
    response.content_type = content_type
    try:
        if body is None or isinstance(body, bytes | str):
            response.data = body.encode() if isinstance(body, str) else body or b""
            return
        log.error("the handler returned %s, which the image does not send", type(body).__name__)
        if falcon_major == 2:
            raise Uncaught
        response.data = body if len(body) else b""
    except (TypeError, UnicodeEncodeError) as error:
        if falcon_major == 2:
            raise Uncaught from error
        log.error("the handler's body cannot be sent: %s", error)
        response.status = falcon.HTTP_500
        response.content_type = falcon.MEDIA_JSON
        response.data = b""


def _serialized(_: falcon.Request, response: falcon.Response, error: falcon.HTTPError) -> None:
    """Falcon 2's 404 and 405 say nothing."""
    response.content_type = falcon.MEDIA_JSON
    if not isinstance(error, falcon.HTTPNotFound | falcon.HTTPMethodNotAllowed):
        response.data = error.to_json()
