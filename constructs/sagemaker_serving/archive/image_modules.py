"""What the code of a model can import in AWS's TensorFlow Serving images, by their version."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

_NEWEST = (10**6, 0)

_BROUGHT_BY = {
    "PIL": "pillow",
    "cv2": "opencv-python",
    "sklearn": "scikit-learn",
    "skimage": "scikit-image",
    "yaml": "pyyaml",
    "bs4": "beautifulsoup4",
    "dateutil": "python-dateutil",
    "Crypto": "pycryptodome",
    "jwt": "pyjwt",
    "dotenv": "python-dotenv",
    "magic": "python-magic",
    "OpenSSL": "pyopenssl",
    "tensorflow": "tensorflow-cpu",
}

_STANDARD_SINCE = {"zoneinfo": (3, 9), "graphlib": (3, 9), "tomllib": (3, 11)}
_STANDARD_UNTIL_3_12 = ("asynchat", "asyncore", "distutils", "imp", "smtpd")
"""docs.python.org, "What's New In Python 3.9", 3.11 and 3.12: what a model's code
may well import. Modules of other versions than this process's are not told apart further."""


@cache
def image_modules(version: str | None) -> Mapping[str, str]:
    """The modules of an image beside the standard library's, with the package of each.

    ``version`` is the framework's ("2.19.1"); None, or what is none, is the newest, and one before
    the first image is that image's.
    """
    modules: dict[str, str] = {}
    for change in _changes_to(version):
        modules |= change.get("adds", {})
        modules = {name: modules[name] for name in modules.keys() - set(change.get("drops", ()))}
    return modules


@cache
def standard_modules(version: str | None) -> frozenset[str]:
    """The standard library's modules in an image, of those that this Python knows, and later ones.

    Python is 3.6 in the oldest images and 3.12 in today's.
    """
    *_, (major, minor) = (
        tuple(map(int, change["python"].split("."))) for change in _changes_to(version)
    )
    late = {name for name, since in _STANDARD_SINCE.items() if (major, minor) < since}
    removed = set(_STANDARD_UNTIL_3_12)
    gone = removed if (major, minor) >= (3, 12) else set()
    return (sys.stdlib_module_names | removed) - late - gone


def package_of(module: str) -> str:
    """What pip calls the package that brings a module, as far as it is known; else its name."""
    return _BROUGHT_BY.get(module, module)


def _changes_to(version: str | None) -> list[Any]:
    text = (files(__package__) / "data" / "tensorflow_images.json").read_text("utf-8")
    first, *later = json.loads(text)["changes"]
    return [first, *(each for each in later if _numbers(each["from"]) <= _numbers(version))]


def _numbers(version: str | None) -> tuple[int, int]:
    match = re.match(r"([0-9]+)\.([0-9]+)", version or "")
    return _NEWEST if match is None else (int(match[1]), int(match[2]))
