"""What the CDK CLI is given for Docker: image assets are kept, and nothing is built.

The CLI would push to the registry's address on AWS, whether or not there is a Docker. Run as
``python -m local_aws.process.docker``, with the arguments of ``docker``.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path


def main(arguments: Sequence[str]) -> int:
    """Answer the calls by which the CLI publishes an image; the exit status.

    ``push`` puts an image of the wanted tag into the local ECR repository, so that it is found
    there. Any other verb is refused, as nothing runs here.
    """
    while arguments[:1] == ["--config"]:
        arguments = arguments[2:]
    verb, *rest = arguments or [""]
    known: dict[str, Callable[[], int]] = {
        "images": lambda: 0,
        "inspect": lambda: 1,  # not built yet, as Docker says it
        "build": lambda: _build(rest),
        "login": lambda: 0,
        "tag": lambda: 0,
        "push": lambda: _push(rest[-1]),
    }
    if verb in known:
        return known[verb]()
    return _refused(
        f"docker {verb} is none of {', '.join(known)}; the local AWS runs no containers"
    )


def script(folder: Path) -> Path:
    """The program, as a file in ``folder`` that ``CDK_DOCKER`` can name."""
    path = folder / "docker"
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {__name__} "$@"\n')
    path.chmod(0o700)
    return path


def _build(arguments: Sequence[str]) -> int:
    named = dict(pairwise(arguments))
    file = named.get("--file", "Dockerfile")
    if Path(file).is_file():
        return 0
    return _refused(f"there is no {file} in {Path.cwd()}, of which an image is to be built")


def _push(image: str) -> int:
    """An image whose only content is the tag, which is the hash of what it is built of."""
    from local_aws.boto import isolated_session

    registry, _, name = image.partition("/")
    repository, _, tag = name.rpartition(":")
    digest = f"sha256:{hashlib.sha256(tag.encode()).hexdigest()}"
    media_type = "application/vnd.docker.distribution.manifest.v2+json"
    content = {"mediaType": "application/vnd.docker.container.image.v1+json", "digest": digest}
    manifest = {
        "schemaVersion": 2,
        "mediaType": media_type,
        "config": {**content, "size": len(tag)},
        "layers": [],
    }
    client = isolated_session().client("ecr", region_name=registry.split(".")[3])
    client.put_image(
        repositoryName=repository,
        imageTag=tag,
        imageManifest=json.dumps(manifest),
        imageManifestMediaType=media_type,
    )
    return 0


def _refused(reason: str) -> int:
    print(reason, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
