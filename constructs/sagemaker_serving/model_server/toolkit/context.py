"""The ``context`` that a function may take as its last argument.

What TorchServe 0.12.0's has (``ts/context.py``), as far as it means something here:
one request at a time, no metrics.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any


class RequestProcessor:
    """A request's headers, and what a function wants of its answer."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._headers = dict(headers)
        self._response: dict[str, str] = {}
        self.status: tuple[int, str] = (200, "")

    def get_request_properties(self) -> dict[str, str]:
        """The headers, as the caller spelt them."""
        return self._headers

    def get_request_property(self, key: str) -> str | None:
        """The header of exactly that spelling."""
        return self._headers.get(key)

    def report_status(self, code: int, reason_phrase: str | None = None) -> None:
        """Answer with this status."""
        self.status = (code, reason_phrase or "")

    def add_response_property(self, key: str, value: str) -> None:
        """Answer with this header."""
        self._response[key] = value

    def get_response_headers(self) -> dict[str, str]:
        """What `add_response_property` was told."""
        return self._response


class Context:
    """One worker's context; `begin` turns it to the next request."""

    def __init__(self, model_dir: Path, *, server_version: str, model_name: str = "model") -> None:
        self.model_name = model_name
        self.manifest: dict[str, Any] = {
            "runtime": "python",
            "model": {
                "modelName": model_name,
                "handler": "handler_service.py",
                "modelVersion": "1",
            },
        }
        self.system_properties: dict[str, Any] = {
            "model_dir": str(model_dir),
            "gpu_id": None,
            "batch_size": 1,
            "server_name": "MMS",
            "server_version": server_version,
            "limit_max_image_pixels": True,
        }
        self.model_yaml_config: dict[str, Any] = {}
        self.request_ids = {0: "0"}
        self.request_processor = [RequestProcessor({})]

    def begin(self, headers: Mapping[str, str]) -> RequestProcessor:
        """The next request's processor, with nothing of the last one's answer."""
        self.request_processor = [RequestProcessor(headers)]
        return self.request_processor[0]

    def get_request_id(self, idx: int = 0) -> str | None:
        """The id of a request of the batch, which is of one."""
        return self.request_ids.get(idx)

    def get_request_header(self, idx: int, key: str) -> str | None:
        """A header in the caller's spelling."""
        return self.request_processor[idx].get_request_property(key)

    def get_all_request_header(self, idx: int) -> dict[str, str]:
        """All headers."""
        return self.request_processor[idx].get_request_properties()

    def set_response_content_type(self, idx: int, value: str) -> None:
        """Answer with this type."""
        self.set_response_header(idx, "content-type", value)

    def get_response_content_type(self, idx: int) -> str | None:
        """What was set."""
        return self.get_response_headers(idx).get("content-type")

    def set_response_status(self, code: int = 200, phrase: str | None = "", idx: int = 0) -> None:
        """Answer with this status."""
        self.request_processor[idx].report_status(code, phrase)

    def set_all_response_status(self, code: int = 200, phrase: str | None = "") -> None:
        """The same; the batch is of one."""
        self.set_response_status(code, phrase)

    def get_response_status(self, idx: int) -> tuple[int, str]:
        """What was set."""
        return self.request_processor[idx].status

    def set_response_header(self, idx: int, key: str, value: str) -> None:
        """Answer with this header."""
        self.request_processor[idx].add_response_property(key, value)

    def get_response_headers(self, idx: int) -> dict[str, str]:
        """What was set."""
        return self.request_processor[idx].get_response_headers()
