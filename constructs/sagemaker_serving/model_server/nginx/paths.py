"""What a request asks for: its path, decoded and without detours, as locations are chosen by it."""

from __future__ import annotations

import re

from sagemaker_serving.model_server.nginx.messages import Refused

_ODD = re.compile(rb"[%#]|//|/\.")
_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})?")
_ESCAPED = re.compile(rb'[^!-~]|["#%<>?\\^`{|}]')


def normal_path(target: bytes) -> tuple[bytes, bytes]:
    """The path and the arguments of ``target``, which begins with ``/`` or ``?``.

    Escapes are decoded, ``%2F`` and dots too, before ``//`` is merged and ``/./`` and ``/../`` are
    followed. Raises `Refused` for an escape that is none, for NUL, and for what leads above the
    root (ngx_http_parse_complex_uri).
    """
    path, _, arguments = target.partition(b"?")
    if _ODD.search(path):
        path, _, arguments = target.partition(b"#")[0].partition(b"?")
        path = _without_detours(_ESCAPE.sub(_decoded, path))
    elif b"#" in arguments:
        arguments = arguments.partition(b"#")[0]
    return path or b"/", arguments


def escaped(path: bytes) -> bytes:
    """``path`` as nginx writes it into a request of its own (ngx_escape_uri)."""
    return _ESCAPED.sub(lambda found: b"%%%02X" % found[0][0], path)


def _decoded(escape: re.Match[bytes]) -> bytes:
    if escape[1] in (None, b"00"):
        raise Refused(400)
    return bytes.fromhex(escape[1].decode())


def _without_detours(path: bytes) -> bytes:
    kept: list[bytes] = []
    _, *parts = path.split(b"/")
    for part in parts:
        if part == b"..":
            if not kept:
                raise Refused(400)
            kept.pop()
        elif part not in (b"", b"."):
            kept.append(part)
    if parts and parts[-1] in (b"", b".", b".."):
        kept.append(b"")
    return b"/" + b"/".join(kept)
