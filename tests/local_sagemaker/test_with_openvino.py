"""The tests that need OpenVINO where it is: in an environment of its own."""

from __future__ import annotations

import importlib.util
import subprocess

import pytest

from tests.beside_openvino import run_tests
from tools.own_environments.environments import environment_of

pytestmark = [
    pytest.mark.long,
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        importlib.util.find_spec("openvino") is not None,
        reason="openvino is here: the tests themselves run",
    ),
]


def test_torchscripts_are_compiled_served_and_compared_with_openvino() -> None:
    try:
        environment_of("torch")
    except subprocess.CalledProcessError:
        pytest.skip("no index that pip knows here has torch==2.13.0+cpu (tools/own_environments)")
    run_tests(
        "tests/local_sagemaker/test_openvino_and_torch.py",
        "tests/cli/test_compile_compare.py::"
        "test_a_torchscript_is_held_against_what_was_compiled_of_it",
    )


def test_models_are_compiled_served_and_compared_with_openvino() -> None:
    run_tests(
        "tests/local_sagemaker/test_openvino.py",
        "tests/operations/compiled/test_planted_faults.py",
        "tests/cli/test_compile_compare.py::"
        "test_a_gate_that_is_missed_ends_it_with_1_after_the_figures",
    )
