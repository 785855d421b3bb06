"""What `sagemaker_serving.infra` offers, as its source says it: names, types, docstrings.

griffe reads the files without running them. It takes folders without ``__init__.py`` for scripts,
so each file is given to it by its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import griffe

PACKAGE = Path(__file__).parents[2] / "constructs" / "sagemaker_serving"


@cache
def package() -> griffe.Module:
    """The whole package, since public types of ``infra`` come from other layers, too."""
    return _read(PACKAGE, None, griffe.ModulesCollection(), griffe.LinesCollection())


def public_objects() -> dict[str, griffe.Object]:
    """Every name of `sagemaker_serving.infra`, and what it stands for, wherever that is."""
    infra = package()["infra"]
    return {str(name): _behind(infra[str(name)]) for name in infra.exports}


def own_types(annotation: str | griffe.Expr | None) -> Iterator[str]:
    """The types of this project that an annotation names, each by where it is defined."""
    if not isinstance(annotation, griffe.Expr):
        return
    for part in annotation.iterate(flat=True):
        if isinstance(part, griffe.ExprName):
            top, _, path = part.canonical_path.partition(".")
            found = _behind(package()[path]) if top == PACKAGE.name and path else None
            if found is not None and not isinstance(found, griffe.Module | griffe.Function):
                yield found.path


def hidden_bases(each: griffe.Class, public: Iterable[griffe.Object]) -> Iterator[griffe.Class]:
    """What it is made of that has no public name: a class shows the fields of these as its own."""
    named = {one.path for one in public}
    for path in (path for base in each.bases for path in own_types(base) if path not in named):
        found = _behind(package()[path.partition(".")[2]])
        if isinstance(found, griffe.Class):
            yield from hidden_bases(found, public)
            yield found


def is_public(name: str, member: griffe.Object | griffe.Alias) -> bool:
    """Whether users see a member of a class; what is inherited or imported is shown elsewhere."""
    return not name.startswith("_") and not member.is_alias


def is_field(member: griffe.Object | griffe.Alias) -> bool:
    """Whether it is a field of a value; values have no ``__init__`` of their own."""
    is_variable = member.is_attribute and "property" not in member.labels
    return is_variable and member.parent is not None and "__init__" not in member.parent.members


def _behind(found: griffe.Object | griffe.Alias) -> griffe.Object:
    return found.final_target if isinstance(found, griffe.Alias) else found


def _read(
    folder: Path,
    parent: griffe.Module | None,
    modules: griffe.ModulesCollection,
    lines: griffe.LinesCollection,
) -> griffe.Module:
    def read(name: str, path: Path, above: griffe.Module | None) -> griffe.Module:
        return griffe.visit(
            name,
            filepath=path,
            code=path.read_text(encoding="utf-8") if path.exists() else "",
            parent=above,
            docstring_parser=griffe.Parser.sphinx,
            modules_collection=modules,
            lines_collection=lines,
        )

    module = read(folder.name, folder / "__init__.py", parent)
    if parent is None:
        modules[module.name] = module
    for path in sorted(folder.iterdir()):
        if path.is_dir() and path.name not in ("__pycache__", ".agents"):
            module.set_member(path.name, _read(path, module, modules, lines))
        elif path.suffix == ".py" and path.stem != "__init__":
            module.set_member(path.stem, read(path.stem, path, module))
    return module
