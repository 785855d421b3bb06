"""The tool that runs AWS's own tests of its images, with a suite of our own in their place."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SUITE = """
import subprocess
import pytest
import requests
@pytest.fixture(autouse=True)
def container():
    run = "docker run --name one -p 8080:8080 -v x:/mine -e A=b image:cpu serve"
    with subprocess.Popen(run.split()) as server:
        while server.poll() is None:
            try:
                requests.get("http://localhost:8080/ping")
                break
            except requests.ConnectionError:
                pass
        yield
        subprocess.check_call("docker rm -f one".split())
def test_a_model_is_loaded():
    load = {"model_name": "mine", "url": "/mine"}
    assert requests.post("http://0.0.0.0:8080/models", json=load).status_code == 200
def test_that_fails():
    assert requests.get("http://localhost:8080/models").json() == "else"
"""


def test_a_suite_meets_serve_where_it_starts_its_container(tmp_path: Path) -> None:
    suite = tmp_path / "test/integration/local/test_multi_model_endpoint_local.py"
    suite.parent.mkdir(parents=True)
    suite.write_text(SUITE)
    answer = image_suites(tmp_path)
    assert "1 failed, 1 passed" in answer.stdout, answer.stdout + answer.stderr
    assert answer.returncode == 1
    assert [path for path in suite.parent.iterdir() if path != suite] == []


def test_a_folder_without_a_suite_is_named_with_what_is_looked_for(tmp_path: Path) -> None:
    answer = image_suites(tmp_path)
    assert answer.returncode == 2
    assert f"{tmp_path} has none of test/integration/local/test_multi_tfs.py" in answer.stderr


@pytest.mark.parametrize("words", [["pull", "image:cpu"], ["volume", "ls"]])
def test_what_no_suite_asks_of_docker_is_refused(words: list[str], tmp_path: Path) -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "tools.image_suites.docker", *words],
        cwd=ROOT,
        env={"IMAGE_SUITE_FOLDER": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 1
    assert f"docker {' '.join(words)}: not among what the suites ask for" in answer.stderr


def image_suites(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tools.image_suites", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
