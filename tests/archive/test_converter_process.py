"""The converter ends with whoever asked for a conversion."""

from __future__ import annotations

import signal
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.leaving import gone, program
from tests.local_aws.aws import eventually

pytestmark = pytest.mark.slow

CONVERTS = """
import sys
from pathlib import Path
from sagemaker_serving.archive.conversion import convert
from sagemaker_serving.archive.sources import Conversion, Tensors

folder = Path(sys.argv[1])
convert({Conversion(source=folder / "graph.pb", name="graph"): Tensors()}, folder)
"""


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"])
def test_a_conversion_that_is_cut_off_leaves_no_process(tmp_path: Path, name: str) -> None:
    with program(CONVERTS, tmp_path) as converting:
        process = psutil.Process(converting.pid)

        def converter() -> list[int]:
            found = process.children(recursive=True)
            return [each.pid for each in found] if _is_there(found) else []

        below = eventually(converter)
        converting.send_signal(getattr(signal, name))
    assert gone([converting.pid, *below])


def _is_there(processes: list[psutil.Process]) -> bool:
    with suppress(psutil.Error):  # one may have ended
        return any(
            each.cmdline()[1:] == ["-m", "sagemaker_serving.converter"] for each in processes
        )
    return False
