"""code/requirements.txt: installed for this run alone, never into this environment."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from sagemaker_serving.errors import Failure
from sagemaker_serving.model_server.children import pipe_reader
from sagemaker_serving.model_server.orphans import end_of, spawn

log = logging.getLogger("front")


class RequirementsFailed(Failure):
    """pip could not install the user's requirements; the message ends with pip's own last line."""


async def install_requirements(
    requirements: Path, target: Path, environment: Mapping[str, str]
) -> None:
    """``pip install --target target -r requirements``; its output goes to the log.

    Nothing that building a package has started is left at its end. Raises `RequirementsFailed`
    when pip ends with a status other than 0.
    """
    log.info("installing packages from requirements.txt...")
    options = f"--target={target}", f"--requirement={requirements}"
    reading, writing = os.pipe()
    try:
        process = await spawn(
            *(sys.executable, "-I", "-m", "pip", "install", *options),
            *("--disable-pip-version-check", "--no-input"),
            env=environment,
            cwd=target.parent,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=writing,
            stderr=asyncio.subprocess.STDOUT,
        )
    finally:
        os.close(writing)
    ended = asyncio.create_task(end_of(process, ran_user_code=True))
    try:
        last_line = await _logged(await pipe_reader(reading))
        status = await asyncio.shield(ended)
    except asyncio.CancelledError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await ended
        raise
    if status != 0:
        raise RequirementsFailed(
            f"failed to install required packages ({requirements}): {last_line}"
        )


async def _logged(printed: asyncio.StreamReader) -> str:
    """Log what pip prints; its last error, or else its last line."""
    said = ""
    async for line in printed:
        text = line.decode(errors="replace").rstrip()
        log.info("%s", text)
        if text and not said.startswith("ERROR:"):
            said = text
    return said


async def code_environment(model_dir: Path, scratch: Path, paths: Sequence[Path]) -> dict[str, str]:
    """This process's variables, and where a model's code and packages are: ``paths``, then those
    of ``code/requirements.txt``, which are installed below ``scratch``.

    ``code/lib`` is nothing of the images that this is for: PyTorch's, Neo's and Ray Serve's.
    """
    home = scratch / "home"
    home.mkdir()
    environment = {**os.environ, "HOME": str(home)}
    requirements, packages = model_dir / "code" / "requirements.txt", scratch / "packages"
    if requirements.exists():
        await install_requirements(requirements, packages, environment)
        paths = [*paths, packages]
    return environment_of_code(environment, paths, model_dir)


def environment_of_code(
    environment: Mapping[str, str], paths: Iterable[Path], model_dir: Path
) -> dict[str, str]:
    """``environment`` for the user's code: its import path, and where its model is."""
    return {
        **environment,
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "PYTHONUNBUFFERED": "1",
        # Importing the model's code must not add files to the model.
        "PYTHONDONTWRITEBYTECODE": "1",
        "SM_MODEL_DIR": str(model_dir),
    }
