"""docs/api.md: every public class of the constructs, from its signature and its docstrings."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path

import griffe

from tools.docs.public_api import hidden_bases, is_field, is_public, public_objects

PAGE = Path(__file__).parents[2] / "docs" / "api.md"
_HEAD = """\
# API reference of the constructs

This page has every public class of the constructs, from its docstring. `make docs` makes it.
Everything here is imported from `sagemaker_serving.infra`. [constructs.md](constructs.md) has whole
apps.

A construct takes `scope` and `construct_id` first, and everything else by name. Types in lower case
before a dot are modules of aws-cdk-lib: `iam.IRole` is `aws_cdk.aws_iam.IRole`.
"""
_GROUPS = {
    "Endpoints": "infra.endpoint",
    "Models": "infra.model",
    "Scaling": "infra.scaling",
    "Monitoring": "infra.monitoring",
    "Batch": "infra.batch",
    "Neo": "infra.neo",
    "Networks": "infra.network",
    "Storage": "infra.storage",
    "Roles": "infra.roles",
    "Checks": "infra.synth",
    "Values": "",
}
"""Each heading and where in the package its classes are; the last takes what is elsewhere."""


def page() -> str:
    """The page, from the source alone."""
    known = public_objects()
    left = dict(known)
    parts = [_HEAD]
    for heading, place in _GROUPS.items():
        found = {
            name: each
            for name, each in left.items()
            if each.path.startswith(f"sagemaker_serving.{place}")
        }
        left = {name: each for name, each in left.items() if name not in found}
        parts.append(f"## {heading}\n")
        parts += (part for name, each in found.items() for part in _described(name, each, known))
    return "\n".join(parts)


def _described(name: str, each: griffe.Object, known: Mapping[str, griffe.Object]) -> Iterator[str]:
    yield f"### {name}\n"
    if not isinstance(each, griffe.Class):
        assert isinstance(each, griffe.Attribute)
        yield f"`{each.value}`: {_prose(each, known)}"
        return
    own = [base.canonical_path.rpartition(".")[2] for base in map(_named, each.bases) if base]
    inherited = [_link(base, known) for base in own if base in known]
    if "__init__" in each.members:
        yield f"```text\n{_signature(name, each.members['__init__'])}\n```\n"
    yield _prose(each, known)
    if inherited:
        yield f"It has everything of {' and '.join(inherited)}, too.\n"
    yield from _table("Parameter", _parameters(each, known))
    yield from _table("Field", _fields(each, known))
    for member_name, member in each.members.items():
        if is_public(member_name, member) and not is_field(member):
            yield from _member(name, member_name, member, known)


def _member(
    owner: str,
    name: str,
    member: griffe.Object | griffe.Alias,
    known: Mapping[str, griffe.Object],
) -> Iterator[str]:
    if isinstance(member, griffe.Function):
        called = owner if {"staticmethod", "classmethod"} & member.labels else ""
        text = _signature(f"{called}.{name}", member)
        shown = f"```text\n{text}\n```\n" if "\n" in text else f"`{text}`\n"
    else:
        annotation = getattr(member, "annotation", None)
        shown = f"`.{name}`" + (f": `{annotation}`" if annotation is not None else "") + "\n"
    yield f"{shown}\n{textwrap.indent(_prose(member, known), '')}"
    yield from _table("Parameter", _parameters(member, known))


def _signature(name: str, function: griffe.Object | griffe.Alias) -> str:
    """As it is called: one line, or one for each parameter."""
    assert isinstance(function, griffe.Function)
    words, is_keyword = [], False
    for parameter in function.parameters:
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is griffe.ParameterKind.keyword_only and not is_keyword:
            is_keyword = True
            words.append("*")
        stars = "**" if parameter.kind is griffe.ParameterKind.var_keyword else ""
        stars = "*" if parameter.kind is griffe.ParameterKind.var_positional else stars
        default = "" if parameter.default is None or stars else f" = {parameter.default}"
        words.append(f"{stars}{parameter.name}: {parameter.annotation}{default}")
    returned = function.returns
    end = "" if returned is None or str(returned) == "None" else f" -> {returned}"
    line = f"{name}({', '.join(words)}){end}"
    if len(line) <= 90:
        return line
    return "\n".join([f"{name}(", *(f"    {word}," for word in words), f"){end}"])


def _parameters(
    each: griffe.Object | griffe.Alias, known: Mapping[str, griffe.Object]
) -> Iterator[tuple[str, str, str]]:
    """What the docstring says of parameters: name, nothing, meaning; the signature has types."""
    for section in each.docstring.parsed if each.docstring is not None else ():
        if section.kind is griffe.DocstringSectionKind.parameters:
            for parameter in section.value:
                meaning, _, _ = parameter.description.partition("\n\n")
                yield parameter.name, "", _markdown(meaning, known)


def _fields(
    each: griffe.Class, known: Mapping[str, griffe.Object]
) -> Iterator[tuple[str, str, str]]:
    shown = [*hidden_bases(each, known.values()), each]
    for name, member in ((name, one) for part in shown for name, one in part.members.items()):
        if is_public(name, member) and is_field(member) and name != "model_config":
            assert isinstance(member, griffe.Attribute)
            if str(member.annotation) == "ClassVar":
                continue
            meaning = _markdown(member.docstring.value, known) if member.docstring else ""
            value = "" if member.value is None else f" = {_default(str(member.value))}"
            kind = re.sub(r"^Annotated\[(.+?), \w+(?:\(.*)?\]$", r"\1", str(member.annotation))
            yield name, f"{kind}{value}", meaning


def _default(value: str) -> str:
    """What a field has when it is left out, however its class says that."""
    value = re.sub(r"^left_out\(.*\)$", "None", value)
    value = re.sub(r"^[Ff]ield\(default=([^,()]+).*\)$", r"\1", value)
    return re.sub(r"^[Ff]ield\(default_factory=(\w+)\)$", r"\1()", value)


def _table(title: str, rows: Iterator[tuple[str, str, str]]) -> Iterator[str]:
    found = list(rows)
    if not found:
        return
    has_types = any(kind for _, kind, _ in found)
    has_meanings = any(meaning for _, _, meaning in found)
    head = [
        title,
        *(["Type, default"] if has_types else []),
        *(["Meaning"] if has_meanings else []),
    ]
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    for name, kind, meaning in found:
        cells = [f"`{name}`"]
        cells += [f"`{kind}`".replace("|", "\\|")] if has_types else []
        cells += [" ".join(meaning.split()).replace("|", "\\|")] if has_meanings else []
        lines.append(f"| {' | '.join(cells)} |")
    yield "\n".join(lines) + "\n"


def _prose(each: griffe.Object | griffe.Alias, known: Mapping[str, griffe.Object]) -> str:
    """The docstring without what it says of parameters."""
    assert each.docstring is not None
    sections = each.docstring.parsed
    texts = []
    for part in sections:
        if part.kind is griffe.DocstringSectionKind.text:
            texts.append(part.value)
        elif part.kind is griffe.DocstringSectionKind.parameters:
            # What follows the parameters after a line is not about the last of them.
            texts.append(part.value[-1].description.partition("\n\n")[2])
    return _markdown("\n\n".join(texts), known) + "\n"


def _markdown(text: str, known: Mapping[str, griffe.Object]) -> str:
    """reStructuredText as docstrings have it: literals, references, blocks of code after ``::``."""
    parts = re.split(r"(?m)^(.*)::\n\n((?:(?: {4}.*)?\n)*(?: {4}.*)?)", text)
    prose = [_inline(part, known) for part in parts[::3]]
    written = prose[0]
    for before, code, after in zip(parts[1::3], parts[2::3], prose[1:], strict=True):
        lead = f"{_inline(before, known)}:\n\n" if before else ""
        written += f"{lead}```python\n{textwrap.dedent(code).strip()}\n```\n\n{after.lstrip()}"
    return written.strip()


def _inline(text: str, known: Mapping[str, griffe.Object]) -> str:
    text = re.sub(r"``(.+?)``", "\0\\1\0", text, flags=re.S)
    text = re.sub(r"`([\w.]+)`", lambda found: _link(found[1], known), text)
    return text.replace("\0", "`")


def _link(name: str, known: Mapping[str, griffe.Object]) -> str:
    owner = name.partition(".")[0]
    return f"[{name}](#{owner.lower()})" if owner in known else f"`{name.rpartition('.')[2]}`"


def _named(base: str | griffe.Expr) -> griffe.ExprName | None:
    return base if isinstance(base, griffe.ExprName) else None
