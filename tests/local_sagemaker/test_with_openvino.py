"""`test_openvino` where OpenVINO is: in an environment of its own, beside this one's packages."""

from __future__ import annotations

import importlib.util

import pytest

from tests.beside_openvino import run_tests

pytestmark = [
    pytest.mark.long,
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        importlib.util.find_spec("openvino") is not None,
        reason="openvino is here: test_openvino itself runs",
    ),
]


def test_jobs_compile_with_openvino() -> None:
    run_tests("tests/local_sagemaker/test_openvino.py")
