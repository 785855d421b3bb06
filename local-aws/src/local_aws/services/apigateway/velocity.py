"""Velocity's templates, as far as API Gateway's mappings use them; nothing in one reaches Python.

A template is somebody else's text that runs in this process: a reference walks maps and lists, and
calls what it was given or what `velocity_values` has. So there is no way from a value to its class;
in airspeed (0.7.1) ``$input.params.__globals__`` gives this process's globals.
Sources: Velocity user guide 1.7; API Gateway developer guide, "Mapping template variables".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from .velocity_values import (
    MAX_ITERATIONS,
    TemplateError,
    as_text,
    is_true,
    member,
    numbers,
    quotient,
    same,
    sum_of,
)

Scope = dict[str, Any]
Render = Callable[[Scope], str]
Value = Callable[[Scope], Any]


def render(template: str, variables: Mapping[str, Any]) -> str:
    """The text that ``template`` makes of variables: plain values, maps, and functions in maps.

    Raises `TemplateError`.
    """
    parser = _Parser(template)
    block = parser.block(())
    try:
        return block(dict(variables))
    except (TypeError, ValueError, KeyError, IndexError, ZeroDivisionError) as error:
        raise TemplateError(f"the mapping template failed: {error}") from None


_SPACE = re.compile(r"\s*")
_NAME = re.compile(r"[A-Za-z_][\w-]*")
_REFERENCE = re.compile(r"\$(!?)(\{?)([A-Za-z_][\w-]*)")
_DIRECTIVE = re.compile(r"#\{?(set|if|elseif|else|end|foreach|break|stop)\b\}?")
_REST_OF_LINE = re.compile(r"[ \t]*\r?\n")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_COMMENT = re.compile(r"##[^\n]*\n?|#\*.*?\*#", re.DOTALL)
_VERBATIM = re.compile(r"#\[\[(.*?)\]\]#", re.DOTALL)
_MISSING = object()

_OPERATORS: tuple[Mapping[str, Callable[[Any, Any], Any]], ...] = (
    {"||": lambda a, b: is_true(a) or is_true(b)},
    {"&&": lambda a, b: is_true(a) and is_true(b)},
    {"==": lambda a, b: same(a, b), "!=": lambda a, b: not same(a, b)},
    {
        "<=": lambda a, b: a <= b,
        ">=": lambda a, b: a >= b,
        "<": lambda a, b: a < b,
        ">": lambda a, b: a > b,
    },
    {"+": lambda a, b: sum_of(a, b), "-": lambda a, b: a - b},
    {"*": lambda a, b: a * b, "/": lambda a, b: quotient(a, b), "%": lambda a, b: a % b},
)
"""By how loosely they bind."""

_WORDS = {
    "or": "||",
    "and": "&&",
    "eq": "==",
    "ne": "!=",
    "le": "<=",
    "ge": ">=",
    "lt": "<",
    "gt": ">",
}


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def block(self, ends: tuple[str, ...]) -> Render:
        """What stands before one of these directives, or the end of the text."""
        parts: list[Render] = []
        while self._at < len(self._text):
            directive = _DIRECTIVE.match(self._text, self._at)
            if directive is not None and directive[1] in ends:
                break
            if directive is not None:
                self._at = directive.end()
                parts.append(self._directive(directive[1]))
            else:
                parts.append(self._piece())
        else:
            if ends:
                raise self._error("the text ends before #end")
        return lambda scope: "".join(part(scope) for part in parts)

    def _piece(self) -> Render:
        for pattern in (_COMMENT, _VERBATIM):
            found = pattern.match(self._text, self._at)
            if found is not None:
                self._at = found.end()
                return _constant(found[1] if pattern is _VERBATIM else "")
        if _REFERENCE.match(self._text, self._at):
            return self._printed()
        if self._text.startswith(("\\$", "\\#"), self._at):
            self._at += 2
            return _constant(self._text[self._at - 1])
        start = self._at
        following = re.compile(r"[$#\\]").search(self._text, start + 1)
        self._at = len(self._text) if following is None else following.start()
        return _constant(self._text[start : self._at])

    def _directive(self, name: str) -> Render:
        match name:
            case "set":
                done = self._set()
            case "if":
                done = self._if()
            case "foreach":
                done = self._foreach()
            case "break" | "stop":
                raise self._error(f"the local AWS does not carry out #{name}")
            case _:
                raise self._error(f"there is a #{name} to nothing")
        self._skip(_REST_OF_LINE)
        return done

    def _set(self) -> Render:
        self._expect("(")
        self._skip(_SPACE)
        found = _REFERENCE.match(self._text, self._at)
        if found is None:
            raise self._error("#set needs a reference")
        self._at = found.end()
        path = self._path()
        if found[2]:
            self._expect("}")
        self._expect("=")
        value = self._expression()
        self._expect(")")

        def done(scope: Scope) -> str:
            target: Any = scope
            names = [found[3], *(step(scope) for step, _ in path)]
            for each in names[:-1]:
                target = target.setdefault(each, {}) if isinstance(target, dict) else target[each]
            target[names[-1]] = value(scope)
            return ""

        return done

    def _if(self) -> Render:
        branches: list[tuple[Value, Render]] = []
        name = "if"
        while name != "end":
            condition: Value = _constant_value(True)
            if name != "else":
                self._expect("(")
                condition = self._expression()
                self._expect(")")
            self._skip(_REST_OF_LINE)
            branches.append((condition, self.block(("elseif", "else", "end"))))
            name = self._ended()
        return lambda scope: next(
            (block(scope) for condition, block in branches if is_true(condition(scope))), ""
        )

    def _foreach(self) -> Render:
        self._expect("(")
        self._skip(_SPACE)
        name = self._match(_REFERENCE)[3]
        self._skip(_SPACE)
        self._expect("in")
        items = self._expression()
        self._expect(")")
        self._skip(_REST_OF_LINE)
        block = self.block(("end",))
        self._ended()

        def done(scope: Scope) -> str:
            found = items(scope)
            every = list(found.values() if isinstance(found, Mapping) else found or ())
            if len(every) > MAX_ITERATIONS:
                raise TemplateError(f"a #foreach has {len(every)} items; {MAX_ITERATIONS} may be")
            outer, text = dict(scope), ""
            for index, item in enumerate(every):
                scope[name] = item
                scope["velocityCount"] = index + 1
                scope["foreach"] = {
                    "index": index,
                    "count": index + 1,
                    "hasNext": index + 1 < len(every),
                }
                text += block(scope)
            for each in (name, "foreach", "velocityCount"):
                scope.pop(each, None)
                scope |= {each: outer[each]} if each in outer else {}
            return text

        return done

    def _ended(self) -> str:
        """The directive that ended a block."""
        return self._match(_DIRECTIVE)[1]

    def _printed(self) -> Render:
        start = self._at
        value = self._reference()
        quiet = self._text.startswith("$!", start)
        source = "" if quiet else self._text[start : self._at]

        def done(scope: Scope) -> str:
            found = value(scope)
            if found is _MISSING:
                return source
            return "" if found is None else as_text(found)

        return done

    def _reference(self) -> Value:
        """A reference's value; `_MISSING` where nothing has that name."""
        found = self._match(_REFERENCE)
        path = self._path()
        if found[2]:
            self._expect("}")

        def done(scope: Scope) -> Any:
            value = scope.get(found[3], _MISSING)
            for step, arguments in path:
                if value is _MISSING:
                    break
                given = None if arguments is None else [each(scope) for each in arguments]
                value = member(value, step(scope), given)
            return value

        return done

    def _path(self) -> list[tuple[Value, list[Value] | None]]:
        """What follows a reference's name: ``.name``, ``.name(…)``, ``[…]``."""
        steps: list[tuple[Value, list[Value] | None]] = []
        while self._at < len(self._text):
            if self._text[self._at] == "[":
                self._at += 1
                steps.append((self._expression(), None))
                self._expect("]")
                continue
            name = _NAME.match(self._text, self._at + 1) if self._text[self._at] == "." else None
            if name is None:
                break
            self._at = name.end()
            arguments = None
            if self._text.startswith("(", self._at):
                self._at += 1
                arguments = self._listed(")")
            steps.append((_constant_value(name[0]), arguments))
        return steps

    def _expression(self, level: int = 0) -> Value:
        if level == len(_OPERATORS):
            return self._unary()
        value = self._expression(level + 1)
        while (operate := self._operator(_OPERATORS[level])) is not None:
            value = _operation(operate, value, self._expression(level + 1))
        return value

    def _operator(self, known: Mapping[str, Callable[[Any, Any], Any]]) -> Any:
        self._skip(_SPACE)
        word = _NAME.match(self._text, self._at)
        if word is not None and _WORDS.get(word[0]) in known:
            self._at = word.end()
            return known[_WORDS[word[0]]]
        for sign, operate in known.items():
            if self._text.startswith(sign, self._at):
                self._at += len(sign)
                return operate
        return None

    def _unary(self) -> Value:
        self._skip(_SPACE)
        word = _NAME.match(self._text, self._at)
        if self._text.startswith("!", self._at) or (word is not None and word[0] == "not"):
            self._at += 1 if word is None else 3
            value = self._unary()
            return lambda scope: not is_true(value(scope))
        return self._primary()

    def _primary(self) -> Value:
        if self._at >= len(self._text):
            raise self._error("a value is missing")
        number, word = (each.match(self._text, self._at) for each in (_NUMBER, _NAME))
        match self._text[self._at]:
            case "$":
                value = self._reference()
                return lambda scope: None if (it := value(scope)) is _MISSING else it
            case "(":
                self._at += 1
                value = self._expression()
                self._expect(")")
                return value
            case "'" | '"' as quote:
                return self._string(quote)
            case "[":
                self._at += 1
                return self._list()
            case "{":
                self._at += 1
                return self._map()
        if number is not None:
            self._at = number.end()
            return _constant_value(float(number[0]) if number[1] else int(number[0]))
        if word is not None and word[0] in ("true", "false", "null"):
            self._at = word.end()
            return _constant_value({"true": True, "false": False, "null": None}[word[0]])
        raise self._error("here stands no value")

    def _string(self, quote: str) -> Value:
        end = self._text.find(quote, self._at + 1)
        while quote == '"' and end > 0 and self._text[end - 1] == "\\":
            end = self._text.find(quote, end + 1)
        if end < 0:
            raise self._error("a string does not end")
        text = self._text[self._at + 1 : end]
        self._at = end + 1
        return _constant_value(text) if quote == "'" else _Parser(text).block(())

    def _list(self) -> Value:
        self._skip(_SPACE)
        if self._text.startswith("]", self._at):
            self._at += 1
            return lambda _: []
        first = self._expression()
        self._skip(_SPACE)
        if self._text.startswith("..", self._at):
            self._at += 2
            last = self._expression()
            self._expect("]")
            return lambda scope: numbers(first(scope), last(scope))
        if self._text.startswith(",", self._at):
            self._at += 1
        rest = self._listed("]")
        return lambda scope: [first(scope), *(each(scope) for each in rest)]

    def _map(self) -> Value:
        pairs = []
        self._skip(_SPACE)
        while not self._text.startswith("}", self._at):
            key = self._expression()
            self._expect(":")
            pairs.append((key, self._expression()))
            self._skip(_SPACE)
            if self._text.startswith(",", self._at):
                self._at += 1
            self._skip(_SPACE)
        self._at += 1
        return lambda scope: {as_text(key(scope)): value(scope) for key, value in pairs}

    def _listed(self, end: str) -> list[Value]:
        values: list[Value] = []
        self._skip(_SPACE)
        while not self._text.startswith(end, self._at):
            values.append(self._expression())
            self._skip(_SPACE)
            if self._text.startswith(",", self._at):
                self._at += 1
                self._skip(_SPACE)
            elif not self._text.startswith(end, self._at):
                raise self._error(f"'{end}' is missing")
        self._at += 1
        return values

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str]:
        found = pattern.match(self._text, self._at)
        if found is None:
            raise self._error("something is missing")
        self._at = found.end()
        return found

    def _expect(self, text: str) -> None:
        self._skip(_SPACE)
        if not self._text.startswith(text, self._at):
            raise self._error(f"'{text}' is missing")
        self._at += len(text)

    def _skip(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self._text, self._at)
        self._at = self._at if found is None else found.end()

    def _error(self, what: str) -> TemplateError:
        line = self._text.count("\n", 0, self._at) + 1
        return TemplateError(f"line {line} of the mapping template: {what}")


def _constant(text: str) -> Render:
    return lambda _: text


def _constant_value(value: Any) -> Value:
    return lambda _: value


def _operation(operate: Callable[[Any, Any], Any], left: Value, right: Value) -> Value:
    return lambda scope: operate(left(scope), right(scope))
