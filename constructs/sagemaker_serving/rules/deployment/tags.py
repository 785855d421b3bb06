"""Rules on tags."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts.resources import TagsFacts

_SOURCE = "botocore sagemaker Tag, TagKey, TagValue and TagList"


@rule(source=_SOURCE, example='tags: {"aws:team": search}')
def tags(facts: TagsFacts) -> Iterator[Finding]:
    """At most 50 tags, of an environment 47, of batches 48; keys up to 128, values up to 256
    characters, none starting with aws:.

    A resource with a tag that AWS refuses is not made at all. A log group gets three more of this
    project's, and a config two: which stack made it, and what it is of. Step Functions tags a job
    that it waits for with its execution, and as managed.
    """
    if len(facts.tags) > 50 - facts.added:
        needed = f", and {facts.added} are added to these" if facts.added else ""
        yield facts.finding(f"there are {len(facts.tags)} tags; AWS takes 50{needed}; remove some")
    for key, value in facts.tags:
        name = key.text
        if name is not None and (name.lower().startswith("aws:") or not 1 <= len(name) <= 128):
            yield key.finding(
                f"the tag key {name!r} is not 1 to 128 characters without 'aws:'; rename it"
            )
        if value.text is not None and len(value.text) > 256:
            yield value.finding(
                f"the tag's value has {len(value.text)} characters; AWS takes 256; shorten it"
            )


@rule(source=_SOURCE, example='tags: {team: "search & find"}')
def tag_characters(facts: TagsFacts) -> Iterator[Finding]:
    """Tags are made of letters, digits, spaces and ``_ . : / = + - @``.

    A resource with another character in a tag is not made at all.
    """
    for pair in facts.tags:
        for fact in pair:
            wrong = sorted({mark for mark in fact.text or "" if not _is_taken(mark)})
            if wrong:
                yield fact.finding(
                    f"the tag's text {fact.text!r} has {' '.join(wrong)}; AWS takes letters, "
                    "digits, spaces and _ . : / = + - @; replace it"
                )


@rule(
    source="AWS tagging, tag keys; IAM user guide, tags for IAM resources",
    example="tags: {Team: a, team: b}",
    silent=dict.fromkeys(("environment files", "plans"), "tags are a map, which has each once"),
)
def tags_unique(facts: TagsFacts) -> Iterator[Finding]:
    """A resource has each tag key once; roles, which get an environment's tags, in any capitals.

    AWS refuses the second of two alike.
    """
    seen: dict[str, str] = {}
    for key, _ in facts.tags:
        if key.text is None:
            continue
        same = key.text.lower() if facts.of_roles else key.text
        if same in seen:
            twice = "given twice" if seen[same] == key.text else f"{seen[same]!r} to IAM"
            yield key.finding(f"the tag key {key.text!r} is {twice}; remove one of them")
        seen.setdefault(same, key.text)


def _is_taken(mark: str) -> bool:
    return mark in "_.:/=+-@" or unicodedata.category(mark)[0] in "LZN"
