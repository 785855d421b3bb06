"""Rules on what is deleted when it is old, and on nothing else being so."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.facts import EnvironmentFacts
from sagemaker_serving.rules.facts.resources import ExpiringFacts
from sagemaker_serving.spec.places import CAPTURED, COMPILED, KEPT


@warning(
    source="ministryofjustice/analytical-platform#10195, #9863, what AWS Health says; S3 and ECR "
    "user guides, lifecycle",
    example="ExpirationInDays: 30 of the bucket in which ModelDataUrl lies",
    silent={"environment files": "storage.expire has what may expire: expire-capture"},
)
def expire_model(facts: ExpiringFacts) -> Iterator[Finding]:
    """What an endpoint is started from is there as long as the endpoint.

    An instance that scaling adds, or AWS replaces, fetches the model and the image again. S3 and
    ECR do not know that they are in use.
    """
    if facts.days.number is not None:
        yield facts.part.says(
            f"is in {facts.store}, which deletes it after {facts.days.value} days, and instances "
            "that start later find nothing; let the rule be for another prefix, or for images "
            "without a tag"
        )


@rule(source="S3 API reference, LifecycleExpiration", example="captured_days: 0")
def expire_days(environment: EnvironmentFacts) -> Iterator[Finding]:
    """What expires does so after a day or more.

    S3 takes no other lifecycle rule, and the deploy fails.
    """
    for _, days in environment.storage.get("expire").entries():
        if days.number is not None and days.number < 1:
            yield days.says(f"is {days.value}; S3 deletes after 1 day or more")


@rule(
    source="S3 user guide, Lifecycle configuration elements: a rule is for all below its prefix",
    example="captured_days: 30   # with data_capture: {prefix: digits} of the model digits",
)
def expire_capture(environment: EnvironmentFacts) -> Iterator[Finding]:
    """Where captured data expires, nothing else lies at or below its prefix.

    S3 deletes all that lies there: a multi-model endpoint's archives, compiled models, what batches
    have written.
    """
    if not environment.storage.get("expire").get("captured_days").given:
        return
    names = [name for name, _ in environment.models_fact.entries()]
    kept = [COMPILED, *(f"{name}/{each}/" for name in names for each in KEPT)]
    for name, model in environment.models_fact.entries():
        prefix = model.get("data_capture").get("prefix")
        if prefix.text is None:
            continue
        mine = f"{prefix.text.strip('/')}/"
        hit = [each for each in kept if each.startswith(mine) or mine.startswith(each)]
        if hit:
            yield prefix.says(
                f"is {prefix.text!r}, and captured_days deletes what is old at {', '.join(hit)} "
                f"too; use another, such as {name}/{CAPTURED}, or leave it out"
            )


@warning(
    source="this project: a batch does what has no output",
    example="batch_output_days: 30   # with batch_transform: {schedule: rate(1 day)}",
)
def expire_schedule(environment: EnvironmentFacts) -> Iterator[Finding]:
    """What a schedule has transformed is not transformed again because its output has expired.

    A scheduled batch takes each object of its input that has no output. Inputs do not expire.
    """
    days = environment.storage.get("expire").get("batch_output_days")
    if days.number is None:
        return
    for name, model in environment.models_fact.entries():
        schedule = model.get("batch_transform").get("schedule")
        if schedule.text is not None:
            yield schedule.finding(
                f"batch_output_days deletes outputs after {days.number:g} days, and what has none "
                f"is transformed again, and billed; take inputs of {name} away once they are done, "
                "or leave one of the two out"
            )
