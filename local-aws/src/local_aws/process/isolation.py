"""What a process of the local AWS may know of the user's environment: no account, no way out.

Fake credentials alone would not do: a profile may run a program or be missing,
``AWS_ENDPOINT_URL_S3`` wins over ``AWS_ENDPOINT_URL``, and a proxy is asked for
``localhost``, too.
"""

from __future__ import annotations

import os
import urllib.request
from collections.abc import Mapping

NOTHING_OF_THE_USERS = {
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "false",
}
"""Keeps an AWS client from the files of ``~/.aws`` and from an instance's own role, and has it
heed AWS_ENDPOINT_URL (docs.aws.amazon.com/sdkref/latest/guide/file-location.html and
feature-ss-endpoints.html)."""

DIRECTLY = urllib.request.build_opener(urllib.request.ProxyHandler({}))
"""Opens URLs of this machine, whatever proxy the environment names: it would be asked for
``localhost``, too."""

_PREFIXES = ("AWS_", "BOTO")
_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "ftp_proxy", "no_proxy")


def isolated(environment: Mapping[str, str]) -> dict[str, str]:
    """``environment`` without the user's AWS: credentials, profiles, endpoints, proxies."""
    kept = {
        name: value
        for name, value in environment.items()
        if not is_about_aws(name) and name.lower() not in _PROXIES
    }
    return {**kept, **NOTHING_OF_THE_USERS}


def is_about_aws(name: str) -> bool:
    """Whether a variable of this name may tell an AWS client who it is or where AWS is."""
    return name.startswith(_PREFIXES)


def no_proxy(environment: Mapping[str, str]) -> str:
    """The value of ``no_proxy`` with which a shell's proxy leaves this machine alone."""
    present = environment.get("no_proxy", environment.get("NO_PROXY", ""))
    return ",".join(dict.fromkeys(["localhost", *filter(None, present.split(","))]))
