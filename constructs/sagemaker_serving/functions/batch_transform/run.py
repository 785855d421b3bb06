"""One execution: what it reads, writes and runs, and the names of all that it keeps in S3."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import Refused
from .fields import contradictions, merged, problems, turn_batching_off
from .store import Place, Store

_REQUESTS_ALONE = {"always": True, "perhaps": None, "never": False}
_PARENT = "AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID"
"""What a task of another machine gives, so that Step Functions' console shows which. Source: Step
Functions developer guide, "Start a new AWS Step Functions state machine from a running
execution"."""
_S3 = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/.*", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Run:
    """What all steps of one execution share; kept in S3, so that no state carries it.

    ``store`` is where all of it lies, and is not kept itself. ``job`` are CreateTransformJob's
    arguments without its name and places. ``retries`` has the budget of each kind of failure,
    ``limits`` how shards are cut and how much an execution takes.
    """

    store: Store
    execution: str
    """The execution's ARN."""
    began: int
    """When it began, in seconds since the epoch."""
    source: str
    """What is read: ``s3://…``, a prefix or a manifest."""
    input_type: str
    output: str
    """Where outputs go: ``s3://…/``."""
    work: str
    """Where what is between lies: ``s3://…/``."""
    reports: str
    """Where the output's lock, its quarantine and the reports on it lie: ``s3://…/``."""
    job: Mapping[str, Any]
    limits: Mapping[str, Any]
    retries: Mapping[str, Mapping[str, float]]
    fail_on_quarantine: bool
    retry_quarantined: bool
    requests_alone: bool | None
    """Whether the container takes one whole request, ``{"instances": …}``, in a payload and no
    more, as TensorFlow Serving does; None: perhaps, if no code of the user's reads it."""
    line_per_record: bool = False
    """Whether an output has a line for each record, in the order of the records."""
    preferred_types: Sequence[str] = ()
    """Instance types in order of preference; none: the one of ``job``."""
    turn: int | None = None
    """Which of the pipeline's turns the execution has."""

    @property
    def instance_types(self) -> Sequence[str]:
        """What a job may run on, in order of preference."""
        alone: str = self.job["TransformResources"]["InstanceType"]
        return self.preferred_types if self.preferred_types else (alone,)

    @property
    def output_place(self) -> Place:
        """Where outputs go."""
        return Place.parse(self.output)

    @property
    def reports_place(self) -> Place:
        """Where the output's lock, its quarantine and the reports on it lie."""
        return Place.parse(self.reports)

    @property
    def quarantined(self) -> Place:
        """Where each input that has records without an answer has an object that lists them."""
        return self.reports_place / "quarantined/"

    @property
    def work_place(self) -> Place:
        """Where what is between lies."""
        return Place.parse(self.work)

    def shard(self, number: int) -> Place:
        """Where a shard's own files lie."""
        return self.work_place / f"shards/{number:06}/"

    def ended(self, shard: int) -> Place:
        """Where a shard leaves how it has ended."""
        return self.work_place / f"ended/{shard:06}.json"

    @property
    def split_type(self) -> str:
        """How objects are cut into records."""
        return str(self.job["TransformInput"].get("SplitType", "None"))

    @property
    def is_split(self) -> bool:
        """Whether an object has records at all; otherwise it is one request with one answer."""
        return self.split_type != "None"

    @property
    def strategy(self) -> str:
        """Whether a request has one record or many; MultiRecord is SageMaker's default."""
        return str(self.job.get("BatchStrategy", "MultiRecord"))

    @property
    def content_type(self) -> str:
        """The media type of inputs in lower case, "" where none is said."""
        given = self.job["TransformInput"].get("ContentType", "")
        return str(given).partition(";")[0].strip().lower()

    @property
    def filters_input(self) -> bool:
        """Whether the container gets a part of each record only."""
        return bool(self.job.get("DataProcessing", {}).get("InputFilter", "$") != "$")

    @property
    def accept(self) -> str:
        """The media type of outputs in lower case, "" where none is asked for."""
        return str(self.job["TransformOutput"].get("Accept", "")).partition(";")[0].strip().lower()

    @property
    def assemble_with(self) -> str:
        """What stands between the answers of an output."""
        return str(self.job["TransformOutput"].get("AssembleWith", "None"))

    @property
    def joins_source(self) -> bool:
        """Whether answers are joined to their records."""
        return bool(self.job.get("DataProcessing", {}).get("JoinSource", "None") == "Input")

    @property
    def takes_requests_alone(self) -> bool:
        """Whether lines that are whole requests are lost or refused in one payload, perhaps."""
        together = self.strategy == "MultiRecord" and not self.filters_input
        return together and self.requests_alone is not False

    @property
    def is_gzip(self) -> bool:
        """Whether inputs are compressed."""
        return bool(self.job["TransformInput"].get("CompressionType", "None") == "Gzip")

    def job_name(self, shard: int, number: int) -> str:
        """The name of a shard's job: unlike any other, at most 63 letters, digits and hyphens."""
        own = re.sub(r"[^a-zA-Z0-9]+", "-", self.execution.rsplit(":", 1)[-1]).strip("-")
        digest = hashlib.sha256(self.execution.encode()).hexdigest()[:10]
        return f"{own[:30].strip('-')}-{digest}-{shard:06}-{number:03}".lstrip("-")

    def save(self) -> None:
        """Keep it where `load` finds it."""
        kept = {name: value for name, value in vars(self).items() if name != "store"}
        self.store.write_json(self.work_place / "run.json", kept)

    @classmethod
    def load(cls, store: Store, work: str) -> Run:
        """The run that was saved under ``work``."""
        return cls(store=store, **store.read_json(Place.parse(work) / "run.json"))


def run_of(
    store: Store, settings: Mapping[str, Any], given: Any, execution: str, began: int
) -> Run:
    """The run of an execution: the pipeline's settings with its input laid over them.

    Raises `Refused` with all that is wrong with the input.
    """
    if not isinstance(given, dict):
        raise Refused(["the execution's input must be an object with input and output"])
    other = ("input", "output", _PARENT)
    wanted = {name: value for name, value in given.items() if name not in other}
    input_type = wanted.get("input_type", settings["input_type"])
    own = [settings["work"], settings["reports"]]
    found = [*_places(given, input_type, own), *problems(wanted)]
    if not found:
        job = merged(settings["job"], wanted)
        line_per_record = wanted.get("line_per_record", settings.get("line_per_record", False))
        if settings.get("is_batching", False):
            turn_batching_off(job)
        found = list(contradictions(job, line_per_record=line_per_record))
    if found:
        raise Refused(found)
    output = given["output"] if given["output"].endswith("/") else f"{given['output']}/"
    limits = {name: wanted.get(name, value) for name, value in settings["limits"].items()}
    name = hashlib.sha256(execution.encode()).hexdigest()[:16]
    return Run(
        store=store,
        execution=execution,
        began=began,
        source=given["input"],
        input_type=input_type,
        output=output,
        work=f"{settings['work']}{name}/",
        reports=f"{settings['reports']}{report_folder(output)}",
        job=job,
        limits=limits,
        retries=settings["retries"],
        fail_on_quarantine=wanted.get("fail_on_quarantine", settings["fail_on_quarantine"]),
        retry_quarantined=wanted.get("retry_quarantined", False),
        line_per_record=line_per_record,
        requests_alone=_REQUESTS_ALONE[settings.get("requests_alone", "never")],
        preferred_types=() if "instance_type" in wanted else settings.get("instance_types", ()),
    )


def report_folder(output: str) -> str:
    """The folder of an output's own files below the pipeline's reports, with a slash at its end.

    It has the last part of the output's path for people, and a hash of all of it, so that no two
    outputs share one.
    """
    last = re.sub(r"[^a-zA-Z0-9._-]+", "-", output.rstrip("/").rsplit("/", 1)[-1])[:24]
    return f"{last}-{hashlib.sha256(output.encode()).hexdigest()[:12]}/"


def overlap(one: str, other: str) -> bool:
    """Whether a key can begin with both of two places."""
    return one.startswith(other) or other.startswith(one)


def _places(given: Mapping[str, Any], input_type: str, own: Sequence[str]) -> list[str]:
    found = []
    for name in ("input", "output"):
        value = given.get(name)
        if not isinstance(value, str) or _S3.fullmatch(value) is None:
            found.append(f"{name} is {value!r}; it must be s3://bucket/prefix/")
    if found:
        return found
    source, output = given["input"], f"{given['output'].removesuffix('/')}/"
    if input_type != "ManifestFile" and output.startswith(source):
        found.append(
            f"output {output} lies inside input {source}, so outputs would become inputs; "
            "write beside it"
        )
    read = [] if input_type == "ManifestFile" else [("input", source)]
    found += [
        f"{name} {place} overlaps {kept}, where the pipeline keeps its own files; take another"
        for name, place in (*read, ("output", output))
        for kept in own
        if overlap(place, kept)
    ]
    if len(output) > 900:
        found.append(f"output has {len(output)} letters; it must leave room for keys: at most 900")
    return found
