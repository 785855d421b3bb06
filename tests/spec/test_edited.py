"""A transition is written into an environment file and taken out; nothing else of it changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from sagemaker_serving.errors import Mistake
from sagemaker_serving.spec import Transition, read_environment
from sagemaker_serving.spec.edited import write_transition

RELEASE = Transition(step="release_scaling", keep={"gpu": "ml.c5.xlarge"})
CHANGE = Transition(step="change_variants")
HEAD = "# what customers call\nname: prod\nregion: eu-west-1\n"
BLOCK = """\
models:
  half:
    artifact: model                 # packed as it is
{before}    variants:                       # one for now
      - {{name: gpu, instance_type: ml.g4dn.xlarge}}
{after}
    # what it may grow to
    scaling: {{gpu: {{min: 1, max: 2}}}}
"""
FLOW = (
    "models: {{half: {{{before}variants: [{{name: gpu, instance_type: ml.g4dn.xlarge}}], "
    "artifact: model{after}}}}}  # short\n"
)
RELEASED = "transition: {step: release_scaling, keep: {gpu: ml.c5.xlarge}}"
CHANGED = "transition: {step: change_variants}"


def body(form: str, before: str = "", after: str = "") -> str:
    return HEAD + form.format(before=before, after=after)


@pytest.mark.parametrize(
    ("text", "transition", "written"),
    [
        (body(BLOCK), RELEASE, body(BLOCK, f"    {RELEASED}\n")),
        (body(BLOCK, f"    {RELEASED}\n"), CHANGE, body(BLOCK, f"    {CHANGED}\n")),
        (
            body(BLOCK, f"    {RELEASED}   # since Monday\n"),
            CHANGE,
            body(BLOCK, f"    {CHANGED}   # since Monday\n"),
        ),
        (body(BLOCK, f"    {CHANGED}   # since Monday\n"), None, body(BLOCK)),
        (
            body(
                BLOCK,
                after="    transition:\n      step: release_scaling\n      keep:\n"
                "        gpu: ml.c5.xlarge  # as before\n",
            ),
            CHANGE,
            body(BLOCK, after=f"    {CHANGED}  # as before\n"),
        ),
        (
            body(BLOCK, after="    transition:\n      step: change_variants\n"),
            None,
            body(BLOCK),
        ),
        (body(FLOW), CHANGE, body(FLOW, f"{CHANGED}, ")),
        (body(FLOW, f"{RELEASED}, "), None, body(FLOW)),
        (body(FLOW, after=f", {CHANGED}"), None, body(FLOW)),
        (body(FLOW, after=f", {CHANGED}"), RELEASE, body(FLOW, after=f", {RELEASED}")),
        (body(BLOCK), None, body(BLOCK)),
    ],
)
def test_only_the_transition_changes(
    tmp_path: Path, text: str, transition: Transition | None, written: str
) -> None:
    path = tmp_path / "prod.yaml"
    path.write_text(text)
    write_transition(path, "half", transition)
    assert path.read_text() == written
    assert read_environment(path).sound.models["half"].transition == transition
    assert list(tmp_path.iterdir()) == [path]


def test_the_upper_file_says_it_where_it_says_anything_of_the_model(tmp_path: Path) -> None:
    (tmp_path / "_base.yaml").write_text(body(BLOCK))
    path = tmp_path / "prod.yaml"
    path.write_text("extends: _base.yaml\nmodels:\n  half:\n    network_isolation: true\n")
    write_transition(path, "half", CHANGE)
    assert path.read_text().endswith(f"  half:\n    {CHANGED}\n    network_isolation: true\n")
    assert read_environment(path).sound.models["half"].transition == CHANGE


@pytest.mark.parametrize(
    "text",
    [
        "extends: _base.yaml\nname: live\n",
        body("models:\n  other: &one\n    variants: []\n  half: *one\n"),
    ],
    ids=["in-the-base", "an-alias"],
)
def test_what_cannot_be_changed_alone_is_told_and_left(tmp_path: Path, text: str) -> None:
    (tmp_path / "_base.yaml").write_text(body(BLOCK))
    path = tmp_path / "prod.yaml"
    path.write_text(text)
    with pytest.raises(Mistake, match=r"write by hand, below models\.half .*change_variants"):
        write_transition(path, "half", CHANGE)
    assert path.read_text() == text
