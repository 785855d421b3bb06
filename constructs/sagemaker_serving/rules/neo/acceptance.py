"""Rules on what a compiled model is held to."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.answers.golden_file import read_golden
from sagemaker_serving.errors import NotFound, ProblemsFound
from sagemaker_serving.rules.engine import Finding, note, rule
from sagemaker_serving.rules.facts.resources import CompilationFacts

_SOURCE = "this project: `sagemaker-serving compile --compare`"
_GATE = "this project: the state machine of infra/neo/gate.py"
_LIMITS = ("max_error", "agreement", "speedup")
_BY_DEPLOY = ("max_error", "agreement")


@rule(source=_SOURCE, example="accept: {agreement: 99}")
def neo_accept(job: CompilationFacts) -> Iterator[Finding]:
    """What a compiled model is held to can be kept, and missed.

    An error is 0 or more, an agreement is a share, a speed-up is over 0; one of them is given.
    """
    accept = job.accept
    if not accept.given:
        return
    if not any(accept.get(name).given for name in _LIMITS):
        yield accept.says(f"holds the model to nothing; give {', '.join(_LIMITS)}, or remove it")
    error, agreement, speedup = (accept.get(name) for name in _LIMITS)
    if error.number is not None and error.number < 0:
        yield error.says(f"is {error.value}; it must be at least 0; use 0.001")
    if agreement.number is not None and not 0 < agreement.number <= 1:
        yield agreement.says(
            f"is {agreement.value}; it is a share, over 0 and at most 1; use 0.999 for 999 rows of "
            "1000"
        )
    if speedup.number is not None and speedup.number <= 0:
        yield speedup.says(f"is {speedup.value}; it must be over 0; use 1.2 for a fifth faster")


@rule(
    source=_GATE,
    example="accept: {max_error: 0.001}   # without golden, or with a file that is not there",
)
def neo_accept_golden(job: CompilationFacts) -> Iterator[Finding]:
    """A deploy that judges a compiled model has golden requests with the original's answers.

    It sends them to a temporary endpoint, and has no original beside that.
    """
    golden = job.accept.get("golden")
    if not job.is_gated or not _is_judged(job):
        return
    if not golden.given:
        yield job.accept.says(
            "has no golden, and a deploy compares with nothing else; give the file of golden "
            "requests that the original has answered: sagemaker-serving docs compare"
        )
        return
    if golden.text is None:
        return
    try:
        exchanges = read_golden(job.folder / golden.text)
    except (NotFound, ProblemsFound) as wrong:
        found = wrong.problems if isinstance(wrong, ProblemsFound) else [wrong]
        more = f", and {len(found) - 1} more" if len(found) > 1 else ""
        yield golden.says(f"is {golden.text!r}: {found[0]}{more}")
        return
    except (OSError, ValueError) as error:  # what is no path at all
        yield golden.says(f"is {golden.text!r}, which cannot be read: {error}")
        return
    unanswered = [exchange for exchange in exchanges if exchange.expected is None]
    if unanswered:
        yield golden.says(
            f"is {golden.text!r}, and {len(unanswered)} of its {len(exchanges)} requests have no "
            "answer; record them with the original: sagemaker-serving golden ENDPOINT FILE --record"
        )


@note(source=_GATE, example="accept: {golden: ../golden.jsonl, max_error: 0.001}   # any")
def neo_accept_endpoint(job: CompilationFacts) -> Iterator[Finding]:
    """What a deploy starts to judge a compiled model is known.

    It is paid for from its start to its removal, and counts against the account's quota.
    """
    if job.is_gated and _is_judged(job) and job.accept.get("golden").given:
        host = job.instance_type.text or "the variant's own type"
        yield job.accept.finding(
            f"the deploy starts a temporary endpoint with one instance of {host}, sends it the "
            "golden requests, and removes it, whatever it answers; a model that misses "
            f"{job.accept.name} fails the deploy, and the endpoint stays as it is"
        )


@note(source=_SOURCE, example="accept: {speedup: 1.2}")
def neo_accept_by_hand(job: CompilationFacts) -> Iterator[Finding]:
    """What no deploy judges is known: a speed-up, and what is no variant of an endpoint.

    The command compiles on the machine that it runs on, with a stand-in for Neo's compiler.
    """
    accept = job.accept
    judged = accept.get("speedup") if job.is_gated else accept
    if job.within_deploy and judged.given:
        why = (
            "has no original beside it"
            if job.is_gated
            else "judges variants of endpoints, no components and no batches"
        )
        yield judged.finding(
            f"no deploy judges this {judged.name}: it {why}; run `sagemaker-serving compile "
            "ENVIRONMENT/MODEL/VARIANT --compare` before it, which ends with 1 when the model "
            "misses it; it proves nothing of what Neo makes"
        )


def _is_judged(job: CompilationFacts) -> bool:
    """Whether anything is demanded that a deploy can judge."""
    return any(job.accept.get(name).given for name in _BY_DEPLOY)
