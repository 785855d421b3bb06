"""Run by a Python that has sagemaker-core and OpenAI's client; prints what it got as JSON."""

from __future__ import annotations

import json
import sys
from datetime import timedelta

from openai import BadRequestError, OpenAI
from sagemaker.core.token_generator import generate_token

MESSAGES = [{"role": "user", "content": "What is 42 * 3?"}]


def main(url: str, region: str, token_of_ours: str) -> None:
    api_key = generate_token(region=region, expiry=timedelta(minutes=5))
    client = OpenAI(base_url=url, api_key=api_key)
    whole = client.chat.completions.create(model="", messages=MESSAGES)
    stream = client.chat.completions.create(model="", messages=MESSAGES, stream=True)
    parts = [chunk.choices[0].delta.content for chunk in stream]
    ours = OpenAI(base_url=url, api_key=lambda: token_of_ours)
    try:
        client.chat.completions.create(model="", messages=[{"role": "user"}])
    except BadRequestError as refused:
        said = [refused.status_code, refused.code, refused.type, refused.message]
    print(
        json.dumps(
            {
                "whole": whole.choices[0].message.content,
                "parts": parts,
                "ours": ours.chat.completions.create(model="", messages=MESSAGES).object,
                "refused": said,
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
