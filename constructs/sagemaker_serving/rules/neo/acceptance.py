"""Rules on what a compiled model is held to."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.errors import Severity
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts.resources import CompilationFacts

_SOURCE = "this project: `sagemaker-serving compile --compare`"
_LIMITS = ("max_error", "agreement", "speedup")


@rule("neo-accept", source=_SOURCE, example="accept: {agreement: 99}")
def neo_accept(job: CompilationFacts) -> Iterator[Finding]:
    """What a compiled model is held to can be kept, and missed.

    An error is 0 or more, an agreement is a share, a speed-up is over 0; one of them is given.
    """
    accept = job.accept
    if not accept.given:
        return
    if not any(accept.get(name).given for name in _LIMITS):
        yield (
            accept.where,
            f"{accept.name} holds the model to nothing; give {', '.join(_LIMITS)}, or remove it",
        )
    error, agreement, speedup = (accept.get(name) for name in _LIMITS)
    if error.number is not None and error.number < 0:
        yield error.where, f"{error.name} is {error.value}; it must be at least 0; use 0.001"
    if agreement.number is not None and not 0 < agreement.number <= 1:
        yield (
            agreement.where,
            f"{agreement.name} is {agreement.value}; it is a share, over 0 and at most 1; "
            "use 0.999 for 999 rows of 1000",
        )
    if speedup.number is not None and speedup.number <= 0:
        yield (
            speedup.where,
            f"{speedup.name} is {speedup.value}; it must be over 0; use 1.2 for a fifth faster",
        )


@rule(
    "neo-accept-by-hand",
    source=_SOURCE,
    severity=Severity.NOTE,
    example="compile: {target_device: ml_c5, accept: {max_error: 0.001}}",
)
def neo_accept_by_hand(job: CompilationFacts) -> Iterator[Finding]:
    """Who judges the compiled model is known: a command before the deploy, not the deploy.

    The command compiles on the machine that it runs on, with a stand-in for Neo's compiler.
    """
    if job.within_deploy and job.accept.given:
        yield (
            job.accept.where,
            f"no deploy judges {job.accept.name}; run `sagemaker-serving compile "
            "ENVIRONMENT/MODEL/VARIANT --compare` before it, which ends with 1 when the model "
            "misses it; it proves nothing of what Neo makes",
        )
