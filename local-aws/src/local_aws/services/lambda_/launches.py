"""What a function's process is started with: its environment, and where it may import from."""

from __future__ import annotations

import ast
import logging
import os
import subprocess
import sys
import tempfile
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path

from local_aws.permissions import RoleSession
from local_aws.process import ISOLATED_PYTHON
from local_aws.process.node import node_program
from local_aws.services.lambda_ import mounts, sdk_for_node
from local_aws.services.lambda_.logs import Stream
from local_aws.services.lambda_.mounts import LANGUAGE
from local_aws.services.lambda_.sandbox import Launch
from local_aws.services.lambda_.store import Configuration

_log = logging.getLogger(__name__)

_NODE_RUNTIME = Path(mounts.__file__).with_name("runtime.mjs")


def launch_of(
    configuration: Configuration,
    stream: Stream,
    session: RoleSession,
    *,
    task_root: Path,
    layers: Path | None,
    runtime: Path,
    url: str,
) -> Launch:
    """How a process of one version is started.

    Its environment is the function's variables, Lambda's own, and its role's credentials for
    the local AWS at ``url``: nothing of this process's. It imports from ``task_root``, from
    ``layers`` and from ``runtime``, which has what AWS's runtime has; all lie where AWS has them,
    if that can be.
    """
    make_runtime_folder(runtime)
    is_mounted = can_mount()
    shown_task = mounts.TASK_ROOT if is_mounted else str(task_root)
    shown_layers = mounts.LAYERS_DIR if is_mounted or layers is None else str(layers)
    variables = (configuration.get("Environment") or {}).get("Variables") or {}
    python_path = [each for each in variables.get("PYTHONPATH", "").split(os.pathsep) if each]
    python = configuration["Runtime"]
    is_node = python.startswith("nodejs")
    language = mounts.LANGUAGE_DIR if is_mounted else str(runtime / mounts.LANGUAGE)
    return Launch(
        task_root=task_root,
        mounted_runtime=runtime if is_mounted else None,
        layers=layers,
        program=_node(configuration["MemorySize"]) if is_node else (),
        import_path=[
            *(shown_task, *python_path),
            *(f"{shown_layers}/python/lib/{python}/site-packages", f"{shown_layers}/python"),
            shown_runtime(runtime),
        ],
        environment={
            **_paths(
                shown_layers, shown_runtime(runtime), shown_task, language, configuration["Runtime"]
            ),
            **_own(variables),
            **_defined(configuration, stream),
            "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
            **_credentials(session),
            # By its number: of names, the SDK for JavaScript makes bucket.localhost.
            "AWS_ENDPOINT_URL": url.replace("//localhost", "//127.0.0.1") if is_node else url,
            "LAMBDA_TASK_ROOT": shown_task,
            "LAMBDA_RUNTIME_DIR": shown_runtime(runtime),
        },
        memory_mb=configuration["MemorySize"],
        imports_boto3=not is_node and _imports_boto3(task_root, configuration["Handler"]),
    )


def shown_runtime(runtime: Path) -> str:
    """Where functions see the runtime's folder."""
    return mounts.RUNTIME_DIR if can_mount() else str(runtime)


@lru_cache
def _imports_boto3(task_root: Path, handler: str) -> bool:
    """Whether a handler's module, or one of the function's that it imports, begins with that."""
    waiting = [handler.replace("/", ".").split(".")[:-1]]
    seen: set[Path] = set()
    while waiting:
        place = task_root.joinpath(*waiting.pop())
        file = place.with_name(f"{place.name}.py")
        file = file if file.is_file() else place / "__init__.py"
        if file in seen or not file.is_file():
            continue
        seen.add(file)
        try:
            statements = ast.parse(file.read_bytes()).body
        except (SyntaxError, ValueError):
            continue
        package = file.parent.relative_to(task_root).parts
        for each in statements:
            names = [alias.name for alias in each.names] if isinstance(each, ast.Import) else []
            if isinstance(each, ast.ImportFrom):
                own = package[: len(package) - each.level + 1] if each.level else ()
                whole = ".".join([*own, *filter(None, [each.module])])
                names = [whole, *(f"{whole}.{alias.name}" for alias in each.names)]
            if any(name.partition(".")[0] == "boto3" for name in names):
                return True
            waiting += [name.split(".") for name in names]
    return False


def _node(memory_mb: int) -> tuple[str, ...]:
    """The command of the runtime for Node.js, whose heap leaves room for all else."""
    return (node_program(), f"--max-old-space-size={memory_mb * 9 // 10}", str(_NODE_RUNTIME))


def _paths(layers: str, runtime: str, task: str, language: str, name: str) -> dict[str, str]:
    """Where programs, libraries and modules are looked for ("Layer paths for each Lambda runtime"
    and "Defined runtime environment variables"); a function may set its own."""
    node = name.removesuffix(".x").replace("nodejs", "node")
    modules = [f"{layers}/nodejs/{node}", f"{layers}/nodejs", runtime]
    node_path = [*(f"{folder}/node_modules" for folder in modules), runtime, task]
    return {
        "PATH": os.pathsep.join([f"{language}/bin", os.defpath, f"{layers}/bin"]),
        "LD_LIBRARY_PATH": os.pathsep.join([task, f"{task}/lib", f"{layers}/lib"]),
        **({"NODE_PATH": os.pathsep.join(node_path)} if node != name else {}),
    }


@cache
def can_mount() -> bool:
    """Whether this machine lets a process have mounts of its own; said in the log where not."""
    with tempfile.TemporaryDirectory() as folder:
        folders = [Path(folder, name) for name in ("task", "runtime", "layers", "stage")]
        for each in (*folders, folders[1] / mounts.LANGUAGE):
            each.mkdir()
        tried = subprocess.run(
            [*ISOLATED_PYTHON, mounts.__file__, *folders],
            capture_output=True,
            text=True,
            check=False,
        )
    if tried.returncode != 0:
        said = tried.stderr.strip().rpartition("\n")[2]
        _log.warning(
            "functions find their code in LAMBDA_TASK_ROOT alone, not in %s: this machine lets "
            "processes have no mounts of their own (%s)",
            mounts.TASK_ROOT,
            said,
        )
    return tried.returncode == 0


def _own(variables: dict[str, str]) -> dict[str, str]:
    """The function's variables without those that would lead its calls elsewhere."""
    return {
        name: value
        for name, value in variables.items()
        if not name.startswith("AWS_ENDPOINT_URL") and name != "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"
    }


def _defined(configuration: Configuration, stream: Stream) -> dict[str, str]:
    """The variables that every function finds (AWS Lambda developer guide, "Defined runtime
    environment variables")."""
    level = configuration["LoggingConfig"].get("ApplicationLogLevel")
    return {
        "_HANDLER": configuration["Handler"],
        "AWS_DEFAULT_REGION": stream.region,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_EXECUTION_ENV": f"AWS_Lambda_{configuration['Runtime']}",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(configuration["MemorySize"]),
        "AWS_LAMBDA_FUNCTION_NAME": configuration["FunctionName"],
        "AWS_LAMBDA_FUNCTION_VERSION": configuration["Version"],
        "AWS_LAMBDA_LOG_GROUP_NAME": stream.group,
        **({} if level is None else {"AWS_LAMBDA_LOG_LEVEL": level}),
        "AWS_LAMBDA_LOG_STREAM_NAME": stream.name,
        "AWS_REGION": stream.region,
        "AWS_XRAY_CONTEXT_MISSING": "LOG_ERROR",
        "LANG": "C.UTF-8",
        "TZ": ":UTC",
    }


def _credentials(session: RoleSession) -> dict[str, str]:
    return {
        "AWS_ACCESS_KEY_ID": session.access_key_id,
        "AWS_SECRET_ACCESS_KEY": session.secret_access_key,
        "AWS_SESSION_TOKEN": session.session_token,
    }


PACKAGES = ("boto3", "botocore", "dateutil", "jmespath", "s3transfer", "six", "urllib3")
"""AWS Lambda developer guide, "Building Lambda functions with Python": boto3 and
what it needs. Everything else a function brings in its zip, here as there."""

_NPM = """#!/bin/sh
echo 'npm: functions of the local AWS install nothing while they run' >&2
exit 1
"""
"""In place of the user's: AwsCustomResource installs the newest SDK where it can, and goes on with
the one that is there where not. That would take the network, and more memory than it has."""


def make_runtime_folder(folder: Path) -> None:
    """Fill ``folder`` with links to `PACKAGES` of this Python, to the AWS SDK for JavaScript in a
    ``node_modules``, and to the programs in ``lang/bin``; what is there already stays."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in PACKAGES:
        place = _place(name)
        _link(folder / place.name, place)
    sdk_for_node.link_into(folder / "node_modules")
    programs = folder / LANGUAGE / "bin"
    programs.mkdir(parents=True, exist_ok=True)
    python = Path(sys.executable)
    for name, program in (("python", python), ("python3", python), ("node", Path(node_program()))):
        _link(programs / name, program)
    npm = programs / "npm"
    if not npm.exists():
        npm.write_text(_NPM)
        npm.chmod(0o755)


def _link(link: Path, place: Path) -> None:
    if not (link.is_symlink() and link.resolve() == place.resolve()):
        link.unlink(missing_ok=True)
        link.symlink_to(place)


def _place(name: str) -> Path:
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"{name} is not installed; install the 'local' extra")
    origin = Path(spec.origin)
    return origin.parent if origin.name == "__init__.py" else origin
