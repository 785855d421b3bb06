"""What the fields of environment files mean: the texts below them in the source."""

from __future__ import annotations

import ast
import inspect
import textwrap
from itertools import pairwise

from pydantic import BaseModel


def descriptions(model: type[BaseModel]) -> dict[str, str]:
    """The text of each field that has one, the parents' fields included.

    They are read here and not by pydantic, which would read the source of every type whenever
    the types are made: a tenth of what ``check`` takes.
    """
    return {
        field: text
        for parent in reversed(model.__mro__)
        if issubclass(parent, BaseModel) and parent is not BaseModel
        for field, text in _below_fields(parent).items()
    }


def _below_fields(model: type[BaseModel]) -> dict[str, str]:
    (made,) = ast.parse(textwrap.dedent(inspect.getsource(model))).body
    statements = made.body if isinstance(made, ast.ClassDef) else []
    texts = {}
    for field, below in pairwise(statements):
        match field, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                texts[name] = inspect.cleandoc(text)
    return texts
