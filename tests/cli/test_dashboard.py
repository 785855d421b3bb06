"""`dashboard` without an AWS: where it is, and what it says to the mistakes that people make."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

FILE = """
name: prod
region: {region}
models:
  digits: {{image_uri: x, variants: [{{name: v, instance_type: ml.c5.large}}], monitoring: {{}}}}
  plain: {{image_uri: x, variants: [{{name: v, instance_type: ml.c5.large}}]}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "environments").mkdir()
    (tmp_path / "environments" / "prod.yaml").write_text(FILE.format(region="eu-west-1"))
    (tmp_path / "china.yaml").write_text(FILE.format(region="cn-north-1"))
    return tmp_path


@pytest.mark.parametrize(
    ("environment", "address"),
    [
        (
            "prod",
            "https://eu-west-1.console.aws.amazon.com/cloudwatch/home?region=eu-west-1"
            "#dashboards/dashboard/prod-digits-eu-west-1\n",
        ),
        (
            "china.yaml",
            "https://cn-north-1.console.amazonaws.cn/cloudwatch/home?region=cn-north-1"
            "#dashboards/dashboard/prod-digits-cn-north-1\n",
        ),
    ],
)
def test_it_says_where_it_is(run: Run, folder: Path, environment: str, address: str) -> None:
    ended = run("dashboard", environment, "digits", folder=folder)
    assert (ended.returncode, ended.stdout) == (0, address)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("gone", "digits"), "environments/gone.yaml: there is no such file"),
        (("prod", "digit"), "prod has no model 'digit'; did you mean digits"),
        (("prod", "plain"), "plain has no dashboard in prod; give it `monitoring: {}`"),
        (("prod", "digits", "--latest", "--local"), "no local AWS runs in .sagemaker-serving"),
        (("prod", "digits", "--local"), "the local AWS has no console; give --latest"),
    ],
)
def test_a_mistake_gets_one_clear_message(
    run: Run, folder: Path, arguments: tuple[str, ...], said: str
) -> None:
    ended = run("dashboard", *arguments, folder=folder)
    assert ended.returncode == 2
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr


def test_another_address_of_aws_has_no_console_either(run: Run, folder: Path) -> None:
    ended = run("dashboard", "prod", "digits", folder=folder, AWS_ENDPOINT_URL="http://x")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "the AWS of AWS_ENDPOINT_URL has no console" in ended.stderr
