"""What a script defines and imports, found without running it, and how containers call it."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, kw_only=True)
class Function:
    """A function at the top of a script: its line, and how many positional arguments it takes.

    ``most`` is None when it takes any number (``*args``). ``parameters`` counts all of them, as
    ``inspect.signature`` does; None behind a decorator, which may change them.
    """

    line: int
    least: int
    most: int | None
    parameters: int | None

    def takes(self, count: int) -> bool:
        """Whether it can be called with ``count`` positional arguments."""
        return self.least <= count and (self.most is None or count <= self.most)


SCRIPT = "code/inference.py"
CONTAINER_MODEL = "/opt/ml/model"
_CODE = f"{CONTAINER_MODEL}/code"
_PLACE = "SAGEMAKER_SUBMIT_DIRECTORY"

_TOOLKIT_FRAMEWORKS = (
    *("pytorch", "autogluon", "stabilityai", "mxnet"),
    *("huggingface", "huggingface-neuron", "huggingface-neuronx"),
)
"""Frameworks whose images have sagemaker-inference, or count as it does (`toolkit_arguments`).

AutoGluon's are made of PyTorch's (aws/deep-learning-containers, autogluon/inference/docker)."""

SCRIPT_VARIABLES = {"SAGEMAKER_PROGRAM": SCRIPT.removeprefix("code/"), _PLACE: _CODE}
"""What names ``code/inference.py`` to an image that calls no script but the one it is told of."""

BY_VARIABLES = ("sklearn", "xgboost", "chainer")
"""Frameworks whose images are told their script: sagemaker-containers, _env.py and _modules.py.

Without SAGEMAKER_PROGRAM scikit-learn's ends as it starts, and XGBoost's runs its own algorithm.
Without SAGEMAKER_SUBMIT_DIRECTORY both look into /opt/ml/code, where nothing is.
"""


def script_of(framework: str, environment: Mapping[str, str | None]) -> str | None:
    """Which file of an archive the container of a framework imports as the user's script.

    ``environment`` is the container's, None where a text is not known; then None is returned.
    sagemaker-inference 1.10.1, environment.py: the module SAGEMAKER_PROGRAM, with ``.py`` or
    without, on the path ``/opt/ml/model/code``. It does not read SAGEMAKER_SUBMIT_DIRECTORY, which
    others do. TensorFlow Serving's container (serve.py) reads neither. None is also what an
    image of `BY_VARIABLES` calls without its variables.
    """
    if framework == "tensorflow":
        return SCRIPT
    if framework in BY_VARIABLES and not all(map(environment.get, SCRIPT_VARIABLES)):
        return None
    place, module = place_of_script(environment), module_of_script(environment)
    if framework not in _TOOLKIT_FRAMEWORKS and place != _CODE:
        return None
    return None if module is None else f"code/{module.replace('.', '/')}.py"


def module_of_script(environment: Mapping[str, str | None]) -> str | None:
    """The module that SAGEMAKER_PROGRAM names: "inference" of "inference.py", the default."""
    program = environment.get("SAGEMAKER_PROGRAM", "")
    return None if program is None else (program or "inference.py").removesuffix(".py")


def place_of_script(environment: Mapping[str, str | None]) -> str | None:
    """The folder, or the archive in S3, that SAGEMAKER_SUBMIT_DIRECTORY names."""
    place = environment.get(_PLACE, "")
    return None if place is None else (place or _CODE).rstrip("/")


def script_variables(framework: str, scripts: Mapping[str, Script]) -> dict[str, str]:
    """The variables that name one of ``scripts``, those of ``code/`` by name, to the container.

    None for ``code/inference.py``, the default, but where an image has no default. Without it, the
    only one that defines what the toolkit calls is meant: so is an archive of the SDK's
    ``entry_point``, which sets the variable.
    """
    found = [name for name, each in scripts.items() if any(map(each.defines, _TOOLKIT_ARGUMENTS))]
    script = SCRIPT if SCRIPT in scripts else found[0] if len(found) == 1 else None
    if framework == "tensorflow" or script is None:
        return {}
    named = {"SAGEMAKER_PROGRAM": script.removeprefix("code/")}
    if framework in BY_VARIABLES:
        return {**SCRIPT_VARIABLES, **named}
    return {} if script == SCRIPT else named


def toolkit_arguments(parameters: int, arguments: int) -> int | None:
    """How many arguments sagemaker-inference calls a function of so many parameters with.

    It has ``arguments`` to give, and one more, the context, to a function with one parameter more.
    None is its TypeError, for any other number (1.10.1, transformer.py, _run_handler_function;
    sagemaker-huggingface-inference-toolkit 2.6.0 counts the same way in function_extra_arg).
    """
    return parameters if parameters in (arguments, arguments + 1) else None


@dataclass(frozen=True, kw_only=True)
class HandlerContract:
    """What a container calls in the user's script.

    ``arguments`` are what each function is given, in order, by the function's name. ``choices``
    are sets of which one has to be whole; ``alone`` names a function that excludes the others.
    With ``counts_parameters`` the call follows `toolkit_arguments`. ``required`` is the function
    for which the container has none of its own; ``without_context`` are those that it calls without
    the context, too.
    """

    container: str
    arguments: Mapping[str, tuple[str, ...]]
    choices: tuple[tuple[str, ...], ...]
    alone: str | None = None
    counts_parameters: bool = False
    required: str | None = None
    without_context: tuple[str, ...] = ()

    def given(self, name: str, function: Function) -> int | None:
        """How many arguments the container calls ``function`` with; None: it refuses to."""
        arguments = len(self.arguments[name])
        if not self.counts_parameters or function.parameters is None:
            return arguments
        return toolkit_arguments(function.parameters, arguments)

    def can_call(self, name: str, function: Function) -> bool:
        """Whether the container's call of ``function`` binds; a decorated one is not judged."""
        given = self.given(name, function)
        if function.parameters is None:
            return True
        always = name not in self.without_context or function.takes(len(self.arguments[name]))
        return always and given is not None and function.takes(given)


_TENSORFLOW = HandlerContract(
    container="the TensorFlow Serving container",
    arguments={
        "handler": ("data", "context"),
        "input_handler": ("data", "context"),
        "output_handler": ("response", "context"),
    },
    choices=(("handler",), ("input_handler", "output_handler")),
)
_TOOLKIT_ARGUMENTS = {
    "model_fn": ("model_dir",),
    "input_fn": ("body", "content_type"),
    "predict_fn": ("data", "model"),
    "output_fn": ("prediction", "accept"),
    "transform_fn": ("model", "data", "content_type", "accept"),
}
_TOOLKIT = HandlerContract(
    container="the container",
    arguments=_TOOLKIT_ARGUMENTS,
    choices=tuple((name,) for name in _TOOLKIT_ARGUMENTS),
    alone="transform_fn",
    counts_parameters=True,
)
NEO_CONTRACT = HandlerContract(
    container="the Neo container",
    arguments={"neo_preprocess": ("payload", "content_type"), "neo_postprocess": ("result",)},
    choices=(("neo_preprocess", "neo_postprocess"),),
)


_WITHOUT_CONTEXT = replace(_TOOLKIT, counts_parameters=False)
_CONTRACTS = {
    "tensorflow": _TENSORFLOW,
    **dict.fromkeys(_TOOLKIT_FRAMEWORKS, _TOOLKIT),
    # sagemaker-mxnet-inference-toolkit, handler_service.py: model_fn(model_dir), then the toolkit's
    "mxnet": replace(_TOOLKIT, without_context=("model_fn",)),
    "autogluon": replace(_TOOLKIT, required="model_fn"),
    **dict.fromkeys(BY_VARIABLES, replace(_WITHOUT_CONTEXT, required="model_fn")),
}
_CONTEXT_SINCE = (4, 26)
"""Of Hugging Face's images those before it have a toolkit that knows no context: it came with
sagemaker-huggingface-inference-toolkit 2.3.0. Which of 4.26 and 4.28 have that is not known."""


def handler_contract(framework: str, version: str | None = None) -> HandlerContract | None:
    """What the container of a framework's image calls; None where that is not known."""
    found = re.match(r"([0-9]+)[.]([0-9]+)", version or "")
    release = (int(found[1]), int(found[2])) if found is not None else _CONTEXT_SINCE
    if framework == "huggingface" and release < _CONTEXT_SINCE:
        return _WITHOUT_CONTEXT
    return _CONTRACTS.get(framework)


@dataclass(frozen=True, kw_only=True)
class Script:
    """A script: what it defines at its top, or why it does not parse.

    ``imports`` maps the first part of each name imported unconditionally
    ("google" of ``import google.protobuf``) to its line; those that a ``try``
    guards against ImportError are left out. ``open_ended`` says that more
    names may be defined than can be seen (``from x import *``, an assignment
    to ``globals()``).
    """

    functions: dict[str, Function] = field(default_factory=dict)
    imports: dict[str, int] = field(default_factory=dict)
    assigned: tuple[str, ...] = ()
    open_ended: bool = False
    error: str | None = None
    error_line: int | None = None

    def defines(self, name: str) -> bool:
        """Whether ``name`` is defined at the top: as a function, by assignment or by import."""
        return name in self.functions or name in self.assigned


def read_script(source: bytes) -> Script:
    """What the Python script ``source`` holds; never raises."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return _described(ast.parse(source))
    except SyntaxError as error:
        return Script(error=error.msg.lower(), error_line=error.lineno)
    except (ValueError, RecursionError, MemoryError) as error:
        return Script(error=str(error).lower() or "it is nested too deeply")


def _described(tree: ast.Module) -> Script:
    functions: dict[str, Function] = {}
    assigned: set[str] = set()
    open_ended = False
    for node in _top_level(tree.body):
        match node:
            case ast.FunctionDef():
                functions[node.name] = _function(node.lineno, node.args, node.decorator_list)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda(args=arguments)):
                functions[name] = _function(node.lineno, arguments, [])
            case ast.AsyncFunctionDef() | ast.ClassDef():
                assigned.add(node.name)
            case ast.Import() | ast.ImportFrom():
                names = [alias.asname or alias.name.partition(".")[0] for alias in node.names]
                assigned.update(names)
                open_ended = open_ended or "*" in names
            case ast.Assign(targets=targets):
                names = list(_names(targets))
                assigned.update(names)
                for name in names:  # what it is now is not seen
                    functions.pop(name, None)
            case ast.AnnAssign(target=target):
                assigned.update(_names([target]))
            case ast.Expr(value=ast.Call()):
                open_ended = open_ended or _touches_globals(node)
            case _:
                pass
    return Script(
        functions=functions,
        imports=dict(_imports(tree)),
        assigned=tuple(sorted(assigned - functions.keys() - {"*"})),
        open_ended=open_ended,
    )


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run when the script is imported, those below if, try and with too."""
    for node in body:
        yield node
        for name in ("body", "orelse", "finalbody"):
            inner = getattr(node, name, [])
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield from _top_level(inner)
        if isinstance(node, ast.Try):
            for handler in node.handlers:
                yield from _top_level(handler.body)


def _function(line: int, arguments: ast.arguments, decorators: list[ast.expr]) -> Function:
    positional = len(arguments.posonlyargs) + len(arguments.args)
    required_keywords = any(default is None for default in arguments.kw_defaults)
    return Function(
        line=line,
        # A keyword without a default can never be given by position: no count is enough.
        least=1 << 16 if required_keywords else positional - len(arguments.defaults),
        most=None if arguments.vararg is not None else positional,
        parameters=None
        if decorators
        else positional
        + len(arguments.kwonlyargs)
        + sum(each is not None for each in (arguments.vararg, arguments.kwarg)),
    )


def _names(targets: list[ast.expr]) -> Iterator[str]:
    for target in targets:
        yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name))


def _touches_globals(node: ast.stmt) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id == "globals" for inner in ast.walk(node))


def _imports(tree: ast.Module) -> Iterator[tuple[str, int]]:
    found: dict[str, int] = {}
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Try) and any(_catches_missing(h) for h in node.handlers):
            waiting += [*node.orelse, *node.finalbody]
            continue
        if isinstance(node, ast.If) and _is_for_types_only(node.test):
            waiting += node.orelse
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                found.setdefault(alias.name.partition(".")[0], node.lineno)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
            found.setdefault(node.module.partition(".")[0], node.lineno)
        waiting += list(ast.iter_child_nodes(node))
    yield from sorted(found.items(), key=lambda item: item[1])


def _catches_missing(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    names = {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)}
    return bool(names & {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


def _is_for_types_only(test: ast.expr) -> bool:
    words = {getattr(node, "id", None) or getattr(node, "attr", None) for node in ast.walk(test)}
    return "TYPE_CHECKING" in words
