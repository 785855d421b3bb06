"""The example of testing one's own app: the page shows what runs, and that needs no SageMaker."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest

from tests.jsii_cache import keep_unpacked
from tools.transcripts.blocks import ROOT, Block, blocks

pytest_plugins = "pytester"

PAGE = ROOT / "docs" / "your-app.md"
APP = ROOT / "tests" / "example_app"


@pytest.mark.slow
@pytest.mark.long
def test_the_example_passes(project: pytest.Pytester) -> None:
    shutil.copytree(APP, project.path, dirs_exist_ok=True)
    ended = project.runpytest_subprocess("-p", "no:xdist", "-W", "error")
    ended.assert_outcomes(passed=3)


@pytest.mark.slow
@pytest.mark.long
def test_with_sagemaker_beside_it_an_endpoint_predicts(project: pytest.Pytester) -> None:
    project.makepyfile(
        f"""
        import json

        def test_half_plus_three(deploy_app, boto3_client):
            app = deploy_app(
                {str(ROOT)!r}, stacks=["local-half-plus-three"], context={{"env": "local"}}
            )
            assert "local-half-plus-three" in app.stacks
            answer = boto3_client("sagemaker-runtime").invoke_endpoint(
                EndpointName="local-half-plus-three",
                ContentType="application/json",
                Body=json.dumps({{"instances": [1.0, 2.0, 5.0]}}),
            )
            assert json.loads(answer["Body"].read()) == {{"predictions": [3.5, 4.0, 5.5]}}
        """
    )
    project.runpytest_subprocess("-p", "no:xdist").assert_outcomes(passed=1)


@pytest.mark.parametrize("block", list(blocks(PAGE, "python")), ids=lambda block: block.where)
def test_what_the_page_shows_is_in_the_example(block: Block) -> None:
    assert block.text in (APP / "test_orders.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", sorted(APP.rglob("*.py")), ids=lambda path: path.name)
def test_the_example_imports_nothing_of_sagemaker(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = list(ast.walk(tree))
    imported = [each.name for node in nodes if isinstance(node, ast.Import) for each in node.names]
    imported += [str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)]
    assert [name for name in imported if name.startswith(("sagemaker", "tests"))] == []


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """An empty folder of tests, with this project's CDK CLI, and jsii's cache, at hand."""
    (pytester.path / "node_modules").symlink_to(ROOT / "node_modules")
    keep_unpacked(pytester.path, of=HOME)
    return pytester


HOME = Path.home()
"""The user's, before pytester sets another."""
