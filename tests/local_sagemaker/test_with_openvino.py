"""The tests that need OpenVINO where it is: in an environment of its own."""

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
        reason="openvino is here: the tests themselves run",
    ),
]


def test_models_are_compiled_served_and_compared_with_openvino() -> None:
    run_tests(
        "tests/local_sagemaker/test_openvino.py",
        "tests/operations/compiled/test_planted_faults.py",
        "tests/cli/test_compile_compare.py::"
        "test_a_gate_that_is_missed_ends_it_with_1_after_the_figures",
    )
