"""code/requirements.txt: installed for this run alone, never into this environment."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Mapping
from pathlib import Path

from sagemaker_serving.errors import Failure

log = logging.getLogger("front")


class RequirementsFailed(Failure):
    """pip could not install the user's requirements; the message ends with pip's own last line."""


async def install_requirements(
    requirements: Path, target: Path, environment: Mapping[str, str]
) -> None:
    """``pip install --target target -r requirements``; its output goes to the log.

    Raises `RequirementsFailed` when pip ends with a status other than 0.
    """
    log.info("installing packages from requirements.txt...")
    options = f"--target={target}", f"--requirement={requirements}"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-m", "pip", "install", *options),
        *("--disable-pip-version-check", "--no-input"),
        env=environment,
        cwd=target.parent,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        last_line = await _logged(process)
        status = await process.wait()
    except asyncio.CancelledError:
        process.kill()
        raise
    if status != 0:
        raise RequirementsFailed(
            f"failed to install required packages ({requirements}): {last_line}"
        )


async def _logged(process: asyncio.subprocess.Process) -> str:
    """Log what pip prints; its last error, or else its last line."""
    said = ""
    assert process.stdout is not None
    async for line in process.stdout:
        text = line.decode(errors="replace").rstrip()
        log.info("%s", text)
        if text and not said.startswith("ERROR:"):
            said = text
    return said
