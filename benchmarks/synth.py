"""Seconds for synth beside an empty Python CDK app, in turn, in one run."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.figures import Figure
from local_aws.process.node import node_program

ROOT = Path(__file__).parents[1]
RUNS = 5
EMPTY_APP = """\
import aws_cdk as cdk
app = cdk.App()
cdk.Stack(app, "Empty")
app.synth()
"""


def measure() -> list[Figure]:
    """The app itself with CDK's own validator off and on, as medians and pairwise ratios."""
    figures: list[Figure] = []
    for validation in ("false", "true"):
        ours, empty = [], []
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "empty.py").write_text(EMPTY_APP)
            for _ in range(RUNS):
                empty.append(seconds_of(["empty.py"], Path(folder), folder, validation))
                ours.append(seconds_of([str(ROOT / "app.py")], ROOT, folder, validation))
        word = "on" if validation == "true" else "off"
        ratio = statistics.median(a / b for a, b in zip(ours, empty, strict=True))
        figures += [
            (f"empty app, validator {word}", f"{statistics.median(empty):.2f} s"),
            (f"local environment, validator {word}", f"{statistics.median(ours):.2f} s"),
            (f"ratio, validator {word}", f"{ratio:.2f}"),
        ]
    return figures


def seconds_of(command: list[str], cwd: Path, outdir: str, validation: str) -> float:
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(node_program()).parent), os.environ["PATH"]]),
        "CDK_VALIDATION": validation,
        "CDK_OUTDIR": f"{outdir}/cdk.out",
        "CDK_CONTEXT_JSON": '{"env": "local"}',
    }
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, *command],
        cwd=cwd,
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return time.perf_counter() - began
