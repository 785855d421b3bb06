"""Another server's answer, as APIs pass it on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import requests

from local_aws.web.functions import TooSlow, within


def answer_of(
    method: str,
    url: str,
    query: Sequence[tuple[str, str]],
    headers: Mapping[str, str],
    body: bytes,
    seconds: float,
) -> requests.Response:
    """What a server answers within ``seconds``. Raises `TooSlow` and RequestException."""

    def ask() -> requests.Response:
        with requests.Session() as session:
            session.trust_env = False
            return session.request(
                method,
                url,
                params=query,
                headers=dict(headers),
                data=body,
                allow_redirects=False,
                timeout=seconds,
            )

    try:
        return within(seconds, ask)
    except requests.Timeout:
        raise TooSlow from None
