"""Every command: its help, and what it says to the mistakes that people make."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from local_aws.process import has_ended
from local_aws.terminal import clean
from sagemaker_serving.cli.commands import group
from sagemaker_serving.cli.docs import pages
from sagemaker_serving.client import Predictor
from sagemaker_serving.errors import NotFound
from tests.cli.conftest import commands, on_a_terminal, run_in
from tests.deploy.assemblies import write_assembly
from tests.today import TODAY

ROOT = Path(__file__).parents[2]
LOCAL_AWS_COMMANDS = ROOT / "local-aws" / "src" / "local_aws" / "cli"
Run = Callable[..., Any]


def test_every_command_teaches_in_its_help_at_80_columns() -> None:
    for name, command in commands(group):
        said = CliRunner().invoke(group, [*name.split(), "--help"], terminal_width=80)
        assert said.exit_code == 0, name
        lines = said.output.splitlines()
        assert len(lines) > 5, name
        assert [line for line in lines if len(line) > 80] == [], name
        assert command.help is not None, name


@pytest.mark.parametrize("group", [(), ("local",)], ids=" ".join)
def test_the_commands_listed_are_those_there_are(run: Run, group: tuple[str, ...]) -> None:
    listed = run(*group, "--help").stdout.partition("Show this message and exit.")[2]
    folder = (ROOT / "constructs/sagemaker_serving/cli").joinpath(*group)
    files = _files(folder) | (_files(LOCAL_AWS_COMMANDS) if group else set())
    assert set(re.findall(r"^  (\S+)", listed, re.MULTILINE)) == files


def _files(folder: Path) -> set[str]:
    """The commands that have a file there."""
    names = {path.stem for path in folder.iterdir() if not path.name.startswith("__")}
    return names - {
        *(
            "answers",
            "batching",
            "carried",
            "commands",
            "compiled",
            "completing",
            "graphs",
            "options",
            "scripted",
            "tables",
        ),
        *("cdk_output", "interrupted", "lazy", "renamed", "running", "showing"),
    }


def test_schema_prints_what_is_committed(run: Run) -> None:
    committed = (ROOT / "environments" / "environment.schema.json").read_text(encoding="utf-8")
    assert run("schema").stdout == committed


def test_check_finds_nothing_in_the_shipped_environments(run: Run) -> None:
    files = sorted(str(path) for path in (ROOT / "environments").glob("*.yaml"))
    ended = run("check", *files, "--today", str(TODAY))
    assert (ended.returncode, ended.stdout) == (0, "4 files: nothing is wrong\n")


def test_check_names_what_will_be_wrong_on_another_day(run: Run) -> None:
    ended = run("check", str(ROOT / "environments" / "prod.yaml"), "--today", "2027-05-22")
    assert ended.returncode == 0
    assert "whose patches end on 2027-08-20, in 90 days" in ended.stdout
    ended = run("check", str(ROOT / "environments" / "prod.yaml"), "--today", "soon")
    assert (ended.returncode, "'soon' does not match the format" in ended.stderr) == (2, True)


def test_check_names_the_wrong_with_file_and_line(run: Run, tmp_path: Path) -> None:
    text = (ROOT / "environments" / "dev.yaml").read_text(encoding="utf-8")
    (tmp_path / "dev.yaml").write_text(
        text.replace("ml.c5.large", "ml.t3.medium").replace(
            "../model_assets", f"{ROOT}/model_assets"
        )
    )
    ended = run("check", "dev.yaml")
    assert ended.returncode == 2
    assert ended.stdout.splitlines()[0] == (
        "error: dev.yaml:13 models.half-plus-three.variants[0].instance_type: instance_type is "
        "'ml.t3.medium'; endpoints do not take it; use ml.t2.medium [endpoint-instance-type]"
    )


def test_programs_get_json_that_fits_the_schema(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text("name: [\n")
    schema = json.loads(run("schema", "output").stdout)
    Draft202012Validator.check_schema(schema)

    def printed(kind: str, *command: str) -> Any:
        found = json.loads(run(*command, "--json").stdout)
        Draft202012Validator(schema).validate(found)
        Draft202012Validator({**schema, "anyOf": [{"$ref": f"#/$defs/{kind}"}]}).validate(found)
        return found

    (problem,) = printed("findings", "check", "x.yaml")
    assert (problem["rule"], problem["file"], problem["line"]) == ("yaml", "x.yaml", 2)
    assert printed("rule", "explain", "image-known")["severity"] == "error"
    assert list(printed("demand", "explain", "wrong-type")) == ["rule", "demands"]
    assert {row["page"] for row in printed("table", "docs")} >= {"skill", "operations"}
    for command in ("images", "instances"):
        assert printed("table", command)


def test_a_page_is_printed_as_it_is_in_a_pipe_and_fits_a_terminal(tmp_path: Path, run: Run) -> None:
    page = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
    assert run("docs", "golden").stdout == page
    assert run("docs", "docs/golden.md#keys").stdout == page
    shown = on_a_terminal(tmp_path, "docs", "golden")
    assert "Golden requests are recorded requests" in shown
    assert max(len(clean(line)) for line in shown.splitlines()) <= 80


def test_no_message_names_a_file_that_only_a_clone_has() -> None:
    """What is printed: help is made of docstrings, so those of commands count."""
    named, pages_named = [], set()
    for path in sorted((ROOT / "constructs/sagemaker_serving").rglob("*.py")):
        if "docs" not in (source := path.read_text(encoding="utf-8")):
            continue
        tree = ast.parse(source)
        is_command = path.is_relative_to(ROOT / "constructs/sagemaker_serving/cli")
        said = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef)
            or (isinstance(node, ast.FunctionDef) and not (is_command and node.decorator_list))
            if node.body and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                if id(node) not in said and re.search(r"(?<!/)docs/[a-z-]+\.md", node.value):
                    named.append((path.name, node.lineno))
                pages_named.update(re.findall(r"sagemaker-serving docs ([a-z-]+)", node.value))
    assert named == []
    assert pages_named - {"lists"} <= set(pages())


def test_every_option_that_is_advised_there_is() -> None:
    """Of each ``sagemaker-serving COMMAND --option`` in a message, a help or a docstring."""
    every = commands(group)
    known = {name: each for name, each in every if not isinstance(each, click.Group)}
    advised = []
    for folder in (ROOT / "constructs" / "sagemaker_serving", ROOT / "local-aws" / "src"):
        for path in folder.rglob("*.py"):
            source = path.read_text(encoding="utf-8")
            for node in ast.walk(ast.parse(source if "sagemaker-serving" in source else "")):
                for line in re.findall(r"sagemaker-serving ([a-z][^`;()|&\n]*)", text_of(node)):
                    words = line.split()
                    name = " ".join(words[:2]) if " ".join(words[:2]) in known else words[0]
                    advised += [
                        (option, path.name, line)
                        for option in re.findall(r" (--?[a-z][a-z0-9-]*)", line)
                        if name in known and option not in ("--help", *options_of(known[name]))
                    ]
    assert advised == []


def text_of(node: ast.AST) -> str:
    """What a string says, with nothing where a value will stand; "" of anything else."""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(text_of, node.values))
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def options_of(command: click.Command) -> Iterator[str]:
    for parameter in command.params:
        yield from (*parameter.opts, *parameter.secondary_opts)


MISTAKES: list[tuple[tuple[str, ...], str]] = [
    (("chek",), "there is no command 'chek'; did you mean 'check'?"),
    (("help",), "there is no command 'help'; did you mean '--help'?"),
    (("local", "help"), "there is no command 'help'; did you mean '--help'?"),
    (("docs", "operatons"), "there is no page 'operatons'; did you mean 'operations'?"),
    (("docs", "x"), "there is no page 'x'; sagemaker-serving docs lists them"),
    (("inspect", ""), "there is nothing after inspect: an argument is empty; give its value"),
    (
        ("local", "up", "--state-dir", ""),
        "there is nothing after --state-dir: an argument is empty",
    ),
    (("local", "up", "--state-dir="), "there is nothing after --state-dir=: an argument is empty"),
    (("", "check"), "there is nothing after the program: an argument is empty"),
    (("predict", "x", "1", "--local"), "no local AWS runs in .sagemaker-serving; start one with"),
    (("predict", "x", "1"), "no AWS region is set; give --region, or set AWS_REGION"),
    (
        ("predict", "x", "1", "--region", "eu-west-1"),
        "there are no AWS credentials; run `aws sso login` or set AWS_PROFILE",
    ),
    (("predict", "x", "1", "--profile", "nobody"), "The config profile (nobody) could not be"),
    (("local", "status"), "no local AWS runs in .sagemaker-serving"),
    (("local", "down"), "no local AWS runs in .sagemaker-serving"),
    (("local", "faults", "list"), "no local AWS runs in .sagemaker-serving"),
    (("local", "logs", "nobody"), "no endpoint 'nobody' in eu-west-1 has a log here"),
    (("local", "deploy", "dev"), "environments/dev.yaml: there is no such file"),
    (("local", "deploy", "dev.yaml"), "app.py deploys what lies in environments/ beside it"),
    (("serve", "gone"), "gone"),
    (("bench", "gone/model"), "gone/model does not exist; give a model's folder or archive"),
    (("transform", "dev/digits"), "give INPUT and OUTPUT, or --resume"),
    (("bench", "x", "--local"), "no local AWS runs in .sagemaker-serving; start one with"),
    (("bench", "x", "--region", "eu-west-1"), "there are no AWS credentials"),
]


@pytest.mark.parametrize(("command", "said"), MISTAKES, ids=lambda value: " ".join(value)[:40])
def test_a_mistake_gets_one_clear_message(run: Run, command: tuple[str, ...], said: str) -> None:
    ended = run(*command)
    assert ended.returncode == 2
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr
    assert ended.stdout == ""


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("here")


@pytest.fixture(scope="module")
def beside(here: Path) -> Iterator[Run]:
    """Runs a command in the folder of a local AWS that runs."""
    command = run_in(here)
    up = command("local", "up", "--port", "0")
    assert up.returncode == 0, up.stderr
    yield command
    command("local", "down")


def facts(beside: Run) -> Any:
    return json.loads(beside("local", "status", "--json").stdout)


@pytest.mark.slow
@pytest.mark.usefixtures("beside")
def test_python_finds_it_by_its_folder(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_REGION", raising=False)
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    monkeypatch.chdir(here)
    with (
        Predictor("nobody", local=True) as predictor,
        pytest.raises(NotFound, match="Endpoint nobody of account 123456789012"),
    ):
        predictor.predict([[1.0]])
    monkeypatch.chdir(here.parent)
    with pytest.raises(NotFound, match="start one with `sagemaker-serving local up`"):
        Predictor("nobody", local=True)


@pytest.mark.slow
def test_it_says_where_it_is_and_that_nothing_is_deployed(beside: Run) -> None:
    lines = beside("local", "env").stdout.splitlines()
    told = dict(line.removeprefix("export ").split("=", 1) for line in lines)
    assert facts(beside)["url"] == told["AWS_ENDPOINT_URL"]
    assert "nothing is deployed" in beside("local", "status").stdout


@pytest.mark.slow
def test_a_second_one_in_the_same_folder_is_refused(beside: Run) -> None:
    ended = beside("local", "up", "--port", "0")
    assert ended.returncode == 2
    assert "a local AWS runs in .sagemaker-serving already; use it" in ended.stderr
    assert "type `sagemaker-serving local down` before: what was deployed" in ended.stderr


@pytest.mark.slow
def test_a_port_that_it_has_is_named_with_its_folder(beside: Run, here: Path) -> None:
    port = facts(beside)["url"].rpartition(":")[2]
    ended = beside("local", "up", "--port", port, "--state-dir", "second")
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert f"port {port} is in use on this machine by the local AWS of " in ended.stderr
    assert f"`local down --state-dir {here}/.sagemaker-serving`" in ended.stderr


@pytest.mark.slow
def test_an_endpoint_that_does_not_exist_is_named(beside: Run) -> None:
    ended = beside("predict", "nobody", "{}", "--local")
    assert ended.returncode == 2
    assert "nobody" in ended.stderr
    assert "not found" in ended.stderr


@pytest.mark.slow
def test_deploy_adds_the_app_to_environments_that_have_none(beside: Run, here: Path) -> None:
    (here / "environments").mkdir()
    text = (ROOT / "environments" / "dev.yaml").read_text(encoding="utf-8")
    (here / "environments" / "dev.yaml").write_text(
        text.replace("../model_assets", f"{ROOT}/model_assets")
    )
    (here / "stacks").mkdir()
    ended = beside("local", "deploy", "dev")
    assert (ended.returncode, "would replace stacks; move environments/" in ended.stdout) == (
        2,
        True,
    )
    assert "there is no cdk.json in" in ended.stderr
    (here / "stacks").rmdir()
    ended = beside("local", "deploy", "dev", PATH="/usr/bin:/bin")
    assert ended.stdout.startswith("app.py, stacks/, cdk.json: the CDK app that deploys it; ")
    assert (ended.returncode, "there is no CDK CLI; run `npm install" in ended.stderr) == (2, True)
    assert (here / "stacks" / "environment.py").read_bytes() == (
        ROOT / "stacks" / "environment.py"
    ).read_bytes()


@pytest.mark.slow
def test_another_app_beside_an_environment_is_named_and_not_deployed(
    beside: Run, here: Path
) -> None:
    project = here / "theirs"
    (project / "environments").mkdir(parents=True)
    text = (ROOT / "environments" / "dev.yaml").read_text(encoding="utf-8")
    (project / "environments" / "dev.yaml").write_text(
        text.replace("../model_assets", f"{ROOT}/model_assets")
    )
    queue = {"Resources": {"Queue": {"Type": "AWS::SQS::Queue"}}}
    write_assembly(here / "made", {"Orders": queue})
    (project / "cdk.json").write_text(json.dumps({"app": f"cp -r {here / 'made'}/. $CDK_OUTDIR"}))
    (project / "node_modules").symlink_to(ROOT / "node_modules")
    ended = beside("local", "deploy", str(project / "environments" / "dev.yaml"))
    assert ended.returncode == 2
    assert f"{project}/cdk.json is another app's: it makes Orders, and nothing of dev" in (
        ended.stderr
    )
    assert "Orders" not in beside("local", "status").stdout


@pytest.mark.slow
def test_once_it_is_down_its_process_has_ended(beside: Run) -> None:
    pid = facts(beside)["pid"]
    assert beside("local", "down").returncode == 0
    assert has_ended(pid)
