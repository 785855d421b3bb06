"""Whoever writes a CDK app needs one import: every public name is there, typed and documented."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

import griffe
import pytest

from sagemaker_serving import infra
from tools.docs.public_api import hidden_bases, is_field, is_public, own_types, public_objects

Known = griffe.Object | griffe.Alias
Public = dict[str, griffe.Object]


@pytest.fixture(scope="module")
def public() -> Public:
    return public_objects()


def test_dir_shows_every_name_before_any_is_loaded(public: Public) -> None:
    assert dir(infra) == sorted(infra.__all__)
    assert set(public) == set(infra.__all__)


def test_a_public_name_is_imported_from_where_the_source_says(public: Public) -> None:
    for name in infra.__all__:
        module, _, attribute = public[name].path.rpartition(".")
        assert getattr(infra, name) is getattr(import_module(module), attribute), name


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Endpoints'"):
        infra.Endpoints  # noqa: B018


def test_each_and_all_that_can_be_called_on_it_is_documented(public: Public) -> None:
    named = (each for name in infra.__all__ for each in _documented(name, public[name]))
    assert [where for where, each in named if not each.has_docstring] == []


def test_every_type_that_one_takes_or_returns_can_be_imported_from_the_same_place(
    public: Public,
) -> None:
    known = {"sagemaker_serving.spec.aws.Aws"}
    for each in public.values():
        hidden = hidden_bases(each, public.values()) if isinstance(each, griffe.Class) else ()
        known |= {each.path, *(base.path for base in hidden)}
    unknown = {
        f"{where}: {path}"
        for name in infra.__all__
        for where, annotation in _annotations(name, public[name], public)
        for path in own_types(annotation)
        if path not in known
    }
    assert unknown == set()


def _documented(where: str, each: Known) -> Iterator[tuple[str, Known]]:
    """Itself and its methods, properties and attributes; the class tells of a value's fields."""
    yield where, each
    if isinstance(each, griffe.Class):
        for name, member in each.members.items():
            if is_public(name, member) and not is_field(member):
                yield f"{where}.{name}", member


def _annotations(
    where: str, each: Known, public: Public
) -> Iterator[tuple[str, str | griffe.Expr | None]]:
    if isinstance(each, griffe.Class):
        for base in hidden_bases(each, public.values()):
            yield from _annotations(where, base, public)
        for name, member in each.members.items():
            of_constructs = each.path.startswith("sagemaker_serving.infra.")
            if is_field(member) or (
                of_constructs and (name == "__init__" or is_public(name, member))
            ):
                yield from _annotations(f"{where}.{name}", member, public)
    elif isinstance(each, griffe.Function):
        yield from ((f"{where}({one.name})", one.annotation) for one in each.parameters)
        yield f"{where}'s result", each.returns
    elif isinstance(each, griffe.Attribute):
        yield where, each.annotation
