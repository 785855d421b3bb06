"""What an environment names in an account: whether it is there, and whether it can be used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import reduce
from typing import Any, Literal

from botocore.exceptions import BotoCoreError, ClientError

from sagemaker_serving.client.aws import Aws, aws_failures
from sagemaker_serving.client.describing import described_endpoint
from sagemaker_serving.errors import NotFound, Problem, Severity, Where
from sagemaker_serving.rules import is_guarded
from sagemaker_serving.s3_address import is_s3, split_s3
from sagemaker_serving.spec import Environment
from sagemaker_serving.spec.transition import CHANGE

SOON = timedelta(days=30)
"""How long before its end a reservation is warned of."""

_MISSING = {"404", "NoSuchBucket", "NoSuchKey", "NotFound"}
_READABLE_BY_DESCRIBE = ":training-plan/"


@dataclass(frozen=True, kw_only=True)
class Named:
    """One thing of the account that the environment file names at ``path``.

    ``instance_types`` are those that a reservation is to give; ``archives`` says that the place
    in S3 is to hold archives, and not only any object. ``variants`` are those that an endpoint
    has to have already, since it is moved under guardrails. ``key_arn`` is the key that the file
    lets the role decrypt a place with.
    """

    name: str
    path: tuple[str | int, ...]
    instance_types: tuple[str, ...] = ()
    archives: bool = False
    variants: tuple[str, ...] = ()
    key_arn: str | None = None

    @property
    def kind(self) -> Literal["s3", "endpoint", "reservation"]:
        """What it is: a place in S3, an endpoint, or a reservation."""
        if self.path[-2:] == ("endpoint", "existing"):
            return "endpoint"
        return "s3" if is_s3(self.name) else "reservation"


@dataclass(frozen=True, kw_only=True)
class Found:
    """What AWS said of the things that environments name.

    ``reservations`` has by ARN what DescribeTrainingPlan answered: ``status``, ``end`` (ISO 8601),
    ``targets`` and ``instance_types``; empty where there is none. ``places`` has by address in S3
    "found", "missing" or the code of a refusal, and ``keys`` the customer managed key that encrypts
    what is there. ``endpoints`` has by name ``status`` and ``variants``; empty where there is none.
    """

    reservations: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)
    endpoints: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def named(environment: Environment) -> Iterator[Named]:
    """The reservations, endpoints and models in S3 that ``environment`` names, each place, in its
    order."""
    for path, text, (above, beside) in _texts(environment.model_dump()):
        match path[-2:]:
            case ("capacity_reservation", "ml_reservation_arn"):
                types = above.get("instance_types") or [above.get("instance_type")]
                yield Named(name=text, path=path, instance_types=tuple(types))
            case ("endpoint", "existing"):
                model = environment.models[str(path[1])]
                changes = model.transition is not None and model.transition.step == CHANGE
                guarded = is_guarded(model, production=environment.production) and not changes
                variants = [variant.name for variant in model.variants] if guarded else []
                yield Named(name=text, path=path, variants=tuple(variants))
            case (_, "s3_prefix"):
                key_arn = beside.get("kms_key_arn")
                yield Named(name=text, path=path, archives=True, key_arn=key_arn)
            case (_, "artifact" | "s3" | "model_data") | ("archives", _) if is_s3(text):
                key_arn = beside.get("kms_key_arn") if path[-1] != "artifact" else None
                yield Named(name=text, path=path, key_arn=key_arn)


def _texts(
    value: Any, path: tuple[str | int, ...] = (), above: tuple[Any, ...] = ({}, {})
) -> Iterator[tuple[tuple[str | int, ...], str, tuple[Mapping[str, Any], Mapping[str, Any]]]]:
    """Every text with its path, what holds that which holds it, and what holds it."""
    if isinstance(value, str):
        outer, inner = (each if isinstance(each, Mapping) else {} for each in above)
        yield path, value, (outer, inner)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _texts(inner, (*path, key), (above[1], value))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _texts(inner, (*path, index), (above[1], value))


def find(aws: Aws, things: Iterable[Named]) -> Found:
    """Asks AWS for ``things``, read-only, once for each name.

    Needs ``sagemaker:DescribeTrainingPlan`` for a reservation, ``sagemaker:DescribeEndpoint`` for
    an endpoint, ``s3:GetObject`` for an archive, ``s3:ListBucket`` beside it for a prefix, and
    ``kms:DescribeKey`` for what a key encrypts. Raises `Failure` where AWS cannot be asked.
    """
    reservations: dict[str, Mapping[str, Any]] = {}
    places: dict[str, str] = {}
    keys: dict[str, str] = {}
    endpoints: dict[str, Mapping[str, Any]] = {}
    for thing in {one.name: one for one in things}.values():
        if thing.kind == "s3":
            places[thing.name], key = _place(aws, thing)
            if key is not None:
                keys[thing.name] = key
        elif thing.kind == "endpoint":
            endpoints[thing.name] = _endpoint(aws, thing.name)
        elif _READABLE_BY_DESCRIBE in thing.name:
            reservations[thing.name] = _reservation(aws, thing.name)
    return Found(reservations=reservations, places=places, keys=keys, endpoints=endpoints)


def _endpoint(aws: Aws, name: str) -> dict[str, Any]:
    try:
        found = described_endpoint(aws.client("sagemaker"), name)
    except NotFound:
        return {}
    variants = [variant["VariantName"] for variant in found.get("ProductionVariants", ())]
    return {"status": found["EndpointStatus"], "variants": sorted(variants)}


def _reservation(aws: Aws, arn: str) -> dict[str, Any]:
    with aws_failures():
        try:
            plan = aws.client("sagemaker").describe_training_plan(TrainingPlanName=arn)
        except ClientError as error:
            if error.response["Error"].get("Code") == "ResourceNotFound":
                return {}
            raise
    ends = plan.get("EndTime")
    return {
        "status": plan["Status"],
        "end": ends.isoformat() if ends is not None else None,
        "targets": plan.get("TargetResources", []),
        "instance_types": sorted(
            {part["InstanceType"] for part in plan.get("ReservedCapacitySummaries", ())}
        ),
    }


def _place(aws: Aws, thing: Named) -> tuple[str, str | None]:
    """What is there, and the customer managed key that encrypts it, or the first object of many."""
    bucket, key = split_s3(thing.name)
    with aws_failures():
        client = aws.client("s3")
        try:
            if not key or key.endswith("/"):
                pages = client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=key)
                keys = (one["Key"] for page in pages for one in page.get("Contents", ()))
                wanted = (one for one in keys if not thing.archives or one.endswith(".tar.gz"))
                key = next(wanted, "")
                if not key:
                    return "missing", None
            head = client.head_object(Bucket=bucket, Key=key)
        except ClientError as error:
            code = str(error.response["Error"].get("Code"))
            if code in _MISSING:
                return "missing", None
            if code in ("403", "AccessDenied"):
                return code, None
            raise
    return "found", _customer_key(aws, head.get("SSEKMSKeyId"))


def _customer_key(aws: Aws, key_arn: str | None) -> str | None:
    """``key_arn`` unless it is AWS's own ``aws/s3``, which lets all of its account that S3 lets in;
    of a key that these credentials may not describe, nobody knows."""
    if key_arn is None:
        return None
    try:
        key = aws.client("kms").describe_key(KeyId=key_arn)
    except (BotoCoreError, ClientError):
        return None
    return key_arn if key["KeyMetadata"].get("KeyManager") == "CUSTOMER" else None


def named_problems(
    environment: Environment, found: Found, where: Where, today: date
) -> list[Problem]:
    """What the environment names and AWS does not have, or has for something else."""
    return [
        Problem(
            rule=f"account-{thing.kind}",
            where=reduce(Where.__truediv__, thing.path, where),
            severity=severity,
            message=message,
        )
        for thing in named(environment)
        for severity, message in _FAULTS[thing.kind](thing, found, today)
    ]


def _place_faults(thing: Named, found: Found, _: date) -> Iterator[tuple[Severity, str]]:
    answer = found.places.get(thing.name)
    if answer is None:
        yield Severity.NOTE, _unasked(thing)
    elif answer == "missing" and thing.archives:
        yield (
            Severity.ERROR,
            f"no archive .tar.gz is below {thing.name}: every request would fail; put one there, "
            "or name them in archives",
        )
    elif answer == "missing":
        yield (
            Severity.ERROR,
            f"nothing is at {thing.name}: the endpoint would fail as it starts; "
            "put the model there, or correct the address",
        )
    elif answer != "found":
        yield (
            Severity.NOTE,
            f"S3 refuses these credentials {thing.name} ({answer}), and says so of an absent "
            "object too; not checked",
        )
    elif (key := found.keys.get(thing.name)) not in (None, thing.key_arn):
        place = "beside it" if thing.path[-1] in ("s3", "s3_prefix", "model_data") else "in {s3: …}"
        yield (
            Severity.ERROR,
            f"{thing.name} is encrypted with {key}, by which the model's role may not decrypt, so "
            f"the deploy would fail; write kms_key_arn: {key} {place}",
        )


def _reservation_faults(thing: Named, found: Found, today: date) -> Iterator[tuple[Severity, str]]:
    """Source: SageMaker developer guide, training-plan-utilization-for-inference-endpoints and
    use-training-plan-for-inference-endpoints-using-api-cli-sdk."""
    if _READABLE_BY_DESCRIBE not in thing.name:
        yield Severity.NOTE, f"no call describes {thing.name} but a training plan's; not checked"
        return
    plan = found.reservations.get(thing.name)
    if plan is None:
        yield Severity.NOTE, _unasked(thing)
        return
    if not plan:
        yield Severity.ERROR, f"there is no {thing.name}; name a training plan of this account"
        return
    status, end = plan["status"], plan["end"]
    ends = datetime.fromisoformat(end).date() if end is not None else None
    if status in ("Expired", "Failed") or (ends is not None and ends < today):
        ended = f", its end was {ends}" if ends is not None and ends < today else ""
        yield (
            Severity.ERROR,
            f"the reservation is {status}{ended}: no instance comes from it; name an Active one, "
            "or remove capacity_reservation for instances on demand",
        )
    elif status != "Active":
        yield (
            Severity.WARNING,
            f"the reservation is {status}; an endpoint takes only an Active one: deploy then",
        )
    elif ends is not None and ends <= today + SOON:
        yield (
            Severity.WARNING,
            f"the reservation ends on {ends}; with capacity-reservations-only the endpoint then "
            "stops to answer; extend the plan, or have the next one ready",
        )
    if plan["targets"] and "endpoint" not in plan["targets"]:
        yield (
            Severity.ERROR,
            f"the reservation is for {', '.join(plan['targets'])}; an endpoint needs a plan "
            "whose target is endpoint",
        )
    foreign = [one for one in thing.instance_types if one not in plan["instance_types"]]
    if plan["instance_types"] and foreign:
        yield (
            Severity.ERROR,
            f"the reservation has {', '.join(plan['instance_types'])}, and the variant runs on "
            f"{', '.join(foreign)}; they must be the same",
        )


def _endpoint_faults(thing: Named, found: Found, _: date) -> Iterator[tuple[Severity, str]]:
    endpoint = found.endpoints.get(thing.name)
    if endpoint is None:
        yield Severity.NOTE, _unasked(thing)
    elif not endpoint:
        yield (
            Severity.ERROR,
            f"there is no endpoint {thing.name}, so the deploy would fail; name one that is there, "
            "or remove endpoint: the stack then makes one of its own",
        )
    elif endpoint["status"] != "InService":
        yield (
            Severity.WARNING,
            f"{thing.name} is {endpoint['status']}; a deploy waits for an update that is under "
            "way, and fails where the endpoint does not come to be InService",
        )
    elif thing.variants and sorted(thing.variants) != endpoint["variants"]:
        yield (
            Severity.ERROR,
            f"{thing.name} has the variants {', '.join(endpoint['variants'])}, and the file has "
            f"{', '.join(sorted(thing.variants))}: SageMaker has guardrails for updates of the "
            "same variants only; name them alike, or write `transition: {step: change_variants}` "
            "for this deploy",
        )


_FAULTS = {
    "s3": _place_faults,
    "endpoint": _endpoint_faults,
    "reservation": _reservation_faults,
}


def _unasked(thing: Named) -> str:
    return (
        f"the kept file has no answer for {thing.name}; not checked: remove the file, and ask AWS"
    )
