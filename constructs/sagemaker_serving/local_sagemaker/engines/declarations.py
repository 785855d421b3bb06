"""What a user says stands in for an image: ``REPOSITORY=ENGINE``, as ``team/server=pytorch``.

REPOSITORY is the image's name without tag, with or without its registry.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from local_aws.errors import Mistake
from local_aws.suggest import nearest
from sagemaker_serving.local_sagemaker.engines.images import Engine
from sagemaker_serving.model_server.programs import VERSIONED, Program


def read_declarations(given: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Engines by repository, of ``REPOSITORY=ENGINE`` texts.

    ``given`` has them by what the user calls their place: ``--engine``; a later place wins over
    those before. Raises `Mistake` with all that is wrong with them, a line each.
    """
    declared: dict[str, str] = {}
    problems: list[str] = []
    for origin, texts in given.items():
        here: dict[str, str] = {}
        for text in texts:
            repository, _, engine = (part.strip() for part in text.partition("="))
            found = [*_problems(repository, engine)]
            if not found and here.get(repository, engine) != engine:
                found = [f"{repository} was given {here[repository]} before"]
            problems += [f"{origin} is '{text}': {each}" for each in found]
            here[repository] = engine
        declared |= here
    if problems:
        raise Mistake("\n".join(problems))
    return declared


def declared_engine(repository: str, text: str) -> Engine:
    """The engine of one that `read_declarations` has let through."""
    kind, _, rest = text.partition(":")
    program = Program(kind)
    answers = {
        Program.STUB: "a stub answers, and no model",
        Program.COMMAND: f"a command answers: {rest}",
    }.get(program, f"{text} answers")
    return Engine(
        program=program,
        container_version=rest or None if program in VERSIONED else None,
        command=rest if program is Program.COMMAND else "",
        note=f"{answers}, as was declared of {repository} (`local up --engine`)",
    )


FORGET = "none"
"""Declared of a repository, it forgets what was declared before."""

_PROGRAMS = [each.value for each in Program if each is not Program.COMMAND]
ALLOWED = f"ENGINE is {', '.join(_PROGRAMS)} or command:PROGRAM"
"""What may be declared, for messages."""

_REPOSITORY = re.compile(r"([\w.-]+(:\d+)?/)?[a-z0-9]+([._/-]+[a-z0-9]+)*")


def _problems(repository: str, engine: str) -> Iterator[str]:
    if not engine:
        yield f"it must be REPOSITORY=ENGINE, as team/server=stub; {ALLOWED}"
        return
    if not _REPOSITORY.fullmatch(repository):
        without = re.split(r":(?!.*/)|@", repository)[0]
        hint = f"leave the tag out: {without}" if without != repository else "as team/server"
        yield f"'{repository}' is no repository's name; {hint}"
    kind, separator, rest = engine.partition(":")
    if kind == Program.COMMAND:
        if "\n" in rest:
            yield "a command is one line; put several into a script"
        if not rest.strip():
            yield "it names no program; write one after command:, as command:python server.py"
    elif kind not in (*_PROGRAMS, FORGET):
        close = nearest(kind, (*_PROGRAMS, Program.COMMAND.value))
        hint = "" if close is None else f"; did you mean {close}"
        yield f"there is no engine '{kind}'; {ALLOWED}, or {FORGET} to forget it{hint}"
    elif separator and kind not in VERSIONED:
        yield f"'{rest}' is too much; tensorflow and pytorch take a version, as tensorflow:2.19"
    elif separator and not re.fullmatch(r"\d+\.\d+(\.\d+)*", rest, re.ASCII):
        yield f"'{rest}' is no framework version; write one like tensorflow:2.19"
