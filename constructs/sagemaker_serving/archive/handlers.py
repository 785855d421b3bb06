"""What an ``inference.py`` defines and imports, found without running it."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Function:
    """A function at the top of a script: its line, and how many positional arguments it takes.

    ``most`` is None when it takes any number (``*args``).
    """

    line: int
    least: int
    most: int | None

    def takes(self, count: int) -> bool:
        """Whether it can be called with ``count`` positional arguments."""
        return self.least <= count and (self.most is None or count <= self.most)


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
                functions[node.name] = _function(node)
            case ast.AsyncFunctionDef() | ast.ClassDef():
                assigned.add(node.name)
            case ast.Import() | ast.ImportFrom():
                names = [alias.asname or alias.name.partition(".")[0] for alias in node.names]
                assigned.update(names)
                open_ended = open_ended or "*" in names
            case ast.Assign(targets=targets):
                assigned.update(_names(targets))
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


def _function(node: ast.FunctionDef) -> Function:
    arguments = node.args
    positional = len(arguments.posonlyargs) + len(arguments.args)
    required_keywords = any(default is None for default in arguments.kw_defaults)
    return Function(
        line=node.lineno,
        # A keyword without a default can never be given by position: no count is enough.
        least=1 << 16 if required_keywords else positional - len(arguments.defaults),
        most=None if arguments.vararg is not None else positional,
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
