"""Archives that cannot be read, one rule for each reason."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.archive import Refusal
from sagemaker_serving.rules.engine import Finding, Rule, rule
from sagemaker_serving.rules.facts import ArtifactFacts

_DEMANDS = {
    Refusal.UNREADABLE: (
        "A model on disk exists and can be read.",
        "artifact: ../no-such-folder",
    ),
    Refusal.NOT_AN_ARCHIVE: (
        "A model's archive is a gzipped tar, whatever its name says.",
        "a text file named model.tar.gz",
    ),
    Refusal.ZIP: ("A model's archive is a gzipped tar, not a zip file.", "artifact: model.zip"),
    Refusal.DAMAGED: (
        "A model's archive is whole: neither cut short nor altered, its CRC right.\n\n"
        "Nor is what was given an empty file, or Git LFS's pointer to one.",
        "an archive whose upload broke off",
    ),
    Refusal.ABSOLUTE_PATH: (
        "No member of an archive has an absolute path.",
        "tar -P czf model.tar.gz /models/digits",
    ),
    Refusal.OUTSIDE_PATH: ("No member of an archive leads out of it.", "a member ../digits/1"),
    Refusal.OUTSIDE_LINK: (
        "No link leads out of a model's archive or folder.",
        "a link to /etc/passwd",
    ),
    Refusal.SPECIAL_FILE: (
        "A model consists of files and folders: no device, no FIFO, no sparse member.",
        "a FIFO in the model's folder",
    ),
    Refusal.DUPLICATE: (
        "No two members of an archive have one name.",
        "`tar --append` of a changed file",
    ),
    Refusal.NAME: (
        "The members' names are UTF-8, and short enough for every disk.",
        "a file named in Latin-1",
    ),
    Refusal.BOMB: (
        "An archive unpacks to a sane size.\n\n"
        "The limits can be raised: SAGEMAKER_SERVING_MAX_MEMBERS (100,000), "
        "SAGEMAKER_SERVING_MAX_UNPACKED_BYTES (100 GiB), SAGEMAKER_SERVING_MAX_RATIO (250).",
        "1 MB that unpacks to 1 GB of zeros",
    ),
}


_SOURCE = "this project: sagemaker-serving docs archives"
_WHY = (
    "SageMaker unpacks an archive only when an endpoint's first instance has started, so a wrong "
    "one fails the deploy late."
)


def _rule_of(refusal: Refusal, demand: str, example: str) -> Rule:
    def refused(facts: ArtifactFacts) -> Iterator[Finding]:
        if facts.unreadable is not None and facts.unreadable.refusal is refusal:
            yield facts.says(f"{facts.unreadable}")

    refused.__doc__ = demand if "\n\n" in demand else f"{demand}\n\n{_WHY}"
    return rule(refusal.value, source=_SOURCE, example=example)(refused)


artifact_refused = tuple(_rule_of(refusal, *told) for refusal, told in _DEMANDS.items())
"""The rules, one a reason."""
