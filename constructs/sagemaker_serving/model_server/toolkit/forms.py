"""The body of a form: TorchServe takes forms apart before a function sees them.

Source: ``InferenceRequestHandler.parseRequest`` of TorchServe 0.12.0, asked on 2026-11-23 with
0.12.0, 0.11.0, 0.8.2 and 0.6.1.
"""

from __future__ import annotations

from email.parser import BytesParser
from email.policy import HTTP
from urllib.parse import parse_qsl

from sagemaker_serving.model_server.toolkit.service import Request

_BODY = "body"


def form_body(request: Request) -> bytearray | None:
    """The body as a function gets it: as it came, or a form's field ``body``, None without one."""
    sent = request.header("Content-Type") or ""
    kind = sent.partition(";")[0].strip().lower()
    if kind == "application/x-www-form-urlencoded":
        fields = dict(parse_qsl(request.body.decode("utf-8", "replace"), keep_blank_values=True))
        return bytearray(fields[_BODY].encode()) if _BODY in fields else None
    if kind == "multipart/form-data":
        head = f"Content-Type: {sent}\r\n\r\n".encode("latin-1", "replace")
        for part in BytesParser(policy=HTTP).parsebytes(head + request.body).iter_parts():
            if part.get_param("name", header="content-disposition") == _BODY:
                content = part.get_payload(decode=True)
                return bytearray(content if isinstance(content, bytes) else b"")
        return None
    return bytearray(request.body)
