"""Compiling a model in one or several precisions, and holding each against the original."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import count as count_from
from pathlib import Path
from typing import Any

from sagemaker_serving.answers.bodies import Answer
from sagemaker_serving.answers.comparison import Comparison, compare
from sagemaker_serving.answers.golden_file import Request
from sagemaker_serving.archive.compiling import Compiled, Precision, compile_model
from sagemaker_serving.errors import Failure, Mistake
from sagemaker_serving.model_server.compiled import RECORDING
from sagemaker_serving.model_server.places import Place
from sagemaker_serving.operations.bench.load import Send, load
from sagemaker_serving.operations.bench.report import VariantReport
from sagemaker_serving.operations.served import serving, taking_times
from sagemaker_serving.progress import Progress

ORIGINAL = "original"
_PROGRAMS = {"TENSORFLOW": "tensorflow", "ONNX": "neo-onnx", "PYTORCH": "pytorch"}


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What is compiled: an unpacked model, in Neo's words ``framework`` and ``shapes``."""

    folder: Path
    framework: str
    shapes: Any
    container_version: str | None = None


@dataclass(frozen=True, kw_only=True)
class Variant:
    """One compiled model, held against the original."""

    compiled: Compiled
    comparison: Comparison
    times: VariantReport
    speedup: float | None

    def as_dict(self) -> dict[str, Any]:
        """The variant for programs."""
        return {
            "precision": self.compiled.precision,
            "compiler": self.compiled.compiler,
            "runs_in": self.compiled.runs_in,
            **self.comparison.as_dict(),
            **_times(self.times),
            "speedup": self.speedup,
        }


@dataclass(frozen=True, kw_only=True)
class Report:
    """The original's times, and every compiled variant in the order it was asked for."""

    original: VariantReport
    variants: Sequence[Variant]
    requests: int

    def as_dict(self) -> dict[str, Any]:
        """The report for programs: milliseconds, and no single request."""
        return {
            "requests": self.requests,
            "original": _times(self.original),
            "variants": [variant.as_dict() for variant in self.variants],
        }


def run(
    subject: Subject,
    requests: Sequence[Request],
    precisions: Sequence[Precision],
    *,
    count: int,
    callers: int,
    progress: Progress | None = None,
) -> Report:
    """Compile, serve all, send every request to each, and ``count`` more to take the times.

    ``progress`` is told of each of these steps that is done. Raises `CannotCompile` in the
    compiler's words, `Mistake` where nothing here compiles the model or it answers no request, and
    `Failure` when a server does not come up.
    """
    steps = count_from(1)

    def step() -> None:
        if progress is not None:
            progress(next(steps), len(precisions) + 2)

    with tempfile.TemporaryDirectory(prefix="sagemaker-serving-") as scratch:
        folder = Path(scratch)
        made: dict[str, Compiled] = {}
        for precision, compiled in _compiled(subject, requests, precisions, folder):
            made[precision] = compiled
            step()
        models = {ORIGINAL: subject.folder, **{name: folder / name for name in made}}
        with _servers(subject, models, {}) as places:
            given = {name: _answers(place, requests) for name, place in places.items()}
            step()
            timed = [
                request
                for request, answer in zip(requests, given[ORIGINAL], strict=True)
                if answer.status == 200
            ]
            if not timed:
                said = given[ORIGINAL][0].body[:200].decode(errors="replace")
                raise Mistake(f"the original answers none of the requests: {said}; send others")
            times = _measured(places, timed, count=count, callers=callers)
            step()
    original = times[ORIGINAL]
    return Report(
        original=original,
        requests=len(requests),
        variants=[
            Variant(
                compiled=compiled,
                comparison=compare(zip(given[ORIGINAL], given[name], strict=True)),
                times=times[name],
                speedup=_ratio(original.percentile(50), times[name].percentile(50)),
            )
            for name, compiled in made.items()
        ],
    )


def _compiled(
    subject: Subject, requests: Sequence[Request], precisions: Sequence[Precision], folder: Path
) -> Iterator[tuple[Precision, Compiled]]:
    """The model compiled into ``folder / <precision>``, precision by precision."""
    for precision in precisions:
        calibration = _calibration(subject, requests, folder) if precision == "int8" else None
        yield precision, _one(subject, folder / precision, precision, calibration)


def _one(
    subject: Subject, target: Path, precision: Precision, calibration: Path | None = None
) -> Compiled:
    shutil.copytree(subject.folder, target)
    made = compile_model(
        target, subject.framework, subject.shapes, precision=precision, calibration=calibration
    )
    assert made is not None
    return made


def _calibration(subject: Subject, requests: Sequence[Request], folder: Path) -> Path:
    """The inputs that the requests come to behind the model's code, recorded in f32."""
    inputs = folder / "calibration"
    inputs.mkdir()
    _one(subject, folder / "recorded", "f32")
    recording = {RECORDING: str(inputs)}
    with _servers(subject, {"recorded": folder / "recorded"}, recording) as places:
        _answers(places["recorded"], requests)
    if not any(inputs.iterdir()):
        raise Failure("int8 needs inputs to be calibrated by, and no request reached the model")
    return inputs


def _servers(
    subject: Subject, models: Mapping[str, Path], environment: Mapping[str, str]
) -> AbstractContextManager[Mapping[str, Place]]:
    return serving(
        models,
        program=_PROGRAMS[subject.framework],
        environment=environment,
        container_version=subject.container_version,
    )


def _times(report: VariantReport) -> dict[str, Any]:
    figures = report.as_dict()
    return {key: figures[key] for key in ("p50_ms", "p90_ms", "p99_ms", "per_second", "errors")}


def _ratio(original: float | None, compiled: float | None) -> float | None:
    return None if original is None or not compiled else original / compiled


_ROUNDS = 5
"""The models take turns, so that whatever else the machine does meets all of them."""


def _measured(
    places: Mapping[str, Place], requests: Sequence[Request], *, count: int, callers: int
) -> dict[str, VariantReport]:
    """The times of ``count`` requests to each server, of ``callers`` at once, taken by turns."""
    rounds: dict[str, list[VariantReport]] = {name: [] for name in places}
    for number in range(_ROUNDS):
        share = max(count * (number + 1) // _ROUNDS - count * number // _ROUNDS, 1)
        for name, place in places.items():
            rounds[name].append(
                load(
                    name,
                    lambda place=place: _sender(place, requests),  # type: ignore[misc]
                    callers=callers,
                    more=lambda sent, share=share: sent < share,  # type: ignore[misc]
                )
            )
    return {name: VariantReport.joined(name, done) for name, done in rounds.items()}


def _answers(place: Place, requests: Sequence[Request]) -> list[Answer]:
    """What a server answers to each request, one after the other."""
    from sagemaker_serving.operations.golden.senders import to_server

    send = to_server(place.connection)
    return [send(request) for request in requests]


def _sender(place: Place, requests: Sequence[Request]) -> Send:
    given = []
    for request in requests:
        headers = {"Content-Type": request.content_type, "Accept": request.accept}
        given.append((request.body, {name: value for name, value in headers.items() if value}))
    return taking_times(place, given, lambda status, _: f"the model answered {status}")
