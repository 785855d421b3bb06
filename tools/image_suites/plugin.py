"""What the suites' requests need here: the server's port, and a picture without the internet."""

from __future__ import annotations

import os
import re
import sys
import time
from types import ModuleType
from typing import Any

import pytest
import requests

_SENT = requests.Session.request
_PICTURE = "https://raw.githubusercontent.com/"
_CONTAINER = re.compile(r"http://(0\.0\.0\.0|localhost):8080")


def _request(self: requests.Session, method: str, url: str, **options: Any) -> requests.Response:
    if url.startswith(_PICTURE):
        picture = requests.Response()
        picture.status_code, picture._content = 200, b"a picture"
        return picture
    here = f"http://127.0.0.1:{os.environ['IMAGE_SUITE_PORT']}"
    return _SENT(self, method, _CONTAINER.sub(here, url), **options)


def _sleep(seconds: float) -> None:
    """Not the minute that the suites wait after the container has answered."""
    _SLEPT(min(seconds, 3.0))


_SLEPT = time.sleep
requests.Session.request = _request  # type: ignore[method-assign,assignment]
time.sleep = _sleep  # type: ignore[assignment]

# The folders of models, which the suite's own package names when it has built archives of them.
integration = ModuleType("integration")
integration.__dict__.update(resnet18_dir="/resnet18", traced_resnet18_dir="/traced_resnet18")
sys.modules["integration"] = integration


@pytest.fixture(scope="session")
def image_uri() -> str:
    """The image that the suite's container fixture names."""
    return "image:cpu"


@pytest.fixture(scope="session")
def use_gpu() -> bool:
    """No GPU."""
    return False
