"""Mapping templates: Velocity as API Gateway's users write it, and nothing of Python's."""

from __future__ import annotations

from typing import Any

import pytest

from local_aws.services.apigateway.velocity import render
from local_aws.services.apigateway.velocity_values import TemplateError

KNOWN: dict[str, Any] = {
    "input": {"params": lambda name: {"a": "1,2,3", "n": "5"}.get(name, ""), "body": "{}"},
    "items": ["x", "y"],
    "person": {"name": "Ada", "tags": [{"k": 1}]},
    "n": 7,
}


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("plain $ text, 5$ and #hash", "plain $ text, 5$ and #hash"),
        ("$n ${n}x $!{nothing}. $nothing", "7 7x . $nothing"),
        ("$person.name $person['name'] $person.get('name')", "Ada Ada Ada"),
        ("$items[1] $items.get(0) $items.size()", "y x 2"),
        ("$person", '{name=Ada, tags=[{"k":1}]}'),
        ("#set($x = 2 + 3 * 4)$x", "14"),
        ("#set($x = (2 + 3) * 4)$x", "20"),
        ("#set($x = 7 / 2)$x", "3"),
        ('#set($x = "a$n")$x', "a7"),
        ("#set($x = 'a$n')$x", "a$n"),
        ("#set($m = {'a': 1})#set($m.b = [1..3])$m.a $m.b", "1 [1,2,3]"),
        ("#if($n > 5 && !$none)yes#{else}no#end", "yes"),
        ("#if($n == 1)one#elseif($n == 7)seven#{else}other#end", "seven"),
        ("#foreach($i in $items)$i$foreach.count#if($foreach.hasNext),#end#end", "x1,y2"),
        ("#foreach($i in [1..9])#if($i == 3)#break#end$i#end", "12"),
        ("a## a comment\nb#* and\nanother *#c", "abc"),
        ("#[[ $n #if ]]#", " $n #if "),
        ('{"v": [#foreach($p in $input.params("a").split(","))"$p"#if($foreach.hasNext),#end#end]}',
         '{"v": ["1","2","3"]}'),
        ("a#stop b", "a"),
        ("#set($x = 1)\nnext", "next"),
        ("$person.name.toUpperCase() $person.name.substring(1)", "ADA da"),
    ],
)  # fmt: skip
def test_a_template_makes(template: str, text: str) -> None:
    assert render(template, KNOWN) == text


@pytest.mark.parametrize(
    "template",
    [
        "$person.__class__",
        "$person.name.__class__.__mro__",
        "$items.append('z')",
        "$input.params.__globals__",
        "$items.__getitem__(0)",
        "$person.tags.clear()",
    ],
)
def test_nothing_of_python_s_is_reached(template: str) -> None:
    assert render(template, KNOWN) == ""
    assert KNOWN["items"] == ["x", "y"]


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("a\n#if($x)", "line 2 of the mapping template: the text ends before #end"),
        ("#set($x 1)", "line 1 of the mapping template: '=' is missing"),
        ("#end", "line 1 of the mapping template: there is a #end to nothing"),
        ("#foreach($i in [1..2000])#end", "a range has 2000 items; 1000 may be"),
        ("#set($x = $n / 0)", "the mapping template failed: division by zero"),
    ],
)
def test_a_wrong_template_says_where(template: str, said: str) -> None:
    with pytest.raises(TemplateError, match=said.replace("$", r"\$").replace("(", r"\(")):
        render(template, KNOWN)
