"""Captured requests sent again, and their answers compared with those that were captured."""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from threading import Lock, Semaphore

from sagemaker_serving.answers.differences import Difference
from sagemaker_serving.client.in_order import threads
from sagemaker_serving.errors import NotFound, ReportedError
from sagemaker_serving.operations.golden import (
    DEFAULT_TOLERANCE,
    Answer,
    Request,
    answer_differences,
)
from sagemaker_serving.operations.replay.report import (
    SHOWN_DIFFERENCES,
    Different,
    ReplayReport,
    Side,
    excerpt,
)
from sagemaker_serving.operations.replay.targets import Target
from sagemaker_serving.operations.traffic import Capture, Captured
from sagemaker_serving.progress import Progress


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a replay is done.

    ``speed`` is a multiple of the recorded rhythm, None as fast as ``concurrency`` requests at a
    time are answered. ``noise`` requests are asked twice first. ``tolerance`` is how far numbers
    may be apart, relative to the expected one where that is over 1. ``accept`` overrides the
    answers' captured content type; "" sends none. ``kept`` of the worst requests are kept.
    """

    speed: float | None = 1.0
    concurrency: int = 64
    noise: int = 20
    tolerance: float = DEFAULT_TOLERANCE
    accept: str | None = None
    kept: int = 20


def replay(
    capture: Capture,
    candidate: Target,
    *,
    name: str,
    baseline: Target | None = None,
    options: Options = Options(),
    progress: Progress | None = None,
) -> ReplayReport:
    """Send what was captured to ``candidate``; compare with the captured answers.

    With a ``baseline`` every request goes to it too, first, and its answers are compared with
    instead. One request at most for each caller is in memory. Raises `NotFound` for a target that
    is not there; what else fails is counted.
    """
    report = ReplayReport(
        capture=name,
        candidate=Side(candidate.name),
        baseline=None if baseline is None else Side(baseline.name),
        compared_with="the captured answers" if baseline is None else baseline.name,
        passed_over=capture.passed_over,
        tolerance=options.tolerance,
        kept=options.kept,
        events=len(capture),
    )
    run = _Run(capture, candidate, baseline, options, report)
    run.measure_noise()
    run.send_all(progress)
    return report


@dataclass
class _Run:
    capture: Capture
    candidate: Target
    baseline: Target | None
    options: Options
    report: ReplayReport
    broken: list[BaseException] = field(default_factory=list)
    done: int = 0
    _lock: Lock = field(default_factory=Lock)

    def measure_noise(self) -> None:
        """Ask some requests twice, spread over the capture."""
        for one in self.capture.at(_spread(len(self.capture), self.options.noise)):
            if self._obstacle(one):
                continue
            request = self._request(one)
            for target in filter(None, (self.candidate, self.baseline)):
                try:
                    first, second = target.send(request), target.send(request)
                except NotFound:
                    raise
                except ReportedError:
                    continue  # it fails again below, and is counted there
                self.report.noise.add(answer_differences(first, second), self.options.tolerance)

    def send_all(self, progress: Progress | None) -> None:
        """Send every event when it is due, at most so many at a time."""
        free = Semaphore(self.options.concurrency)
        times = self.capture.times if self.options.speed is not None else []
        pace = Pace(times, self.options.speed)

        def ended(future: Future[None]) -> None:
            error = future.exception()
            if error is not None:
                self.broken.append(error)
            free.release()

        with threads(self.options.concurrency) as pool:
            pace.begin()
            began = time.perf_counter()
            for number, one in enumerate(self.capture):
                free.acquire()
                pace.wait(number)
                if self.broken:
                    break
                pool.submit(self._one, number, one, progress).add_done_callback(ended)
        if self.broken:
            raise self.broken[0]
        self.report.seconds = time.perf_counter() - began
        self.report.late_seconds = pace.late_seconds

    def _one(self, number: int, one: Captured, progress: Progress | None) -> None:
        obstacle = self._obstacle(one)
        if obstacle:
            with self._lock:
                self.report.not_replayed.add(obstacle, one.where)
        else:
            self._judge(number, one)
        with self._lock:
            self.done += 1
            if progress is not None:
                progress(self.done, len(self.capture))

    def _judge(self, number: int, one: Captured) -> None:
        request, expected, came = self._request(one), one.answer, None
        size, told = math.inf, [""]
        if self.baseline is not None:
            assert self.report.baseline is not None
            expected, failed = self._asked(self.baseline, self.report.baseline, request)
            if expected is None:
                with self._lock:
                    self.report.not_replayed.add(f"the baseline failed: {failed}", one.where)
                return
        assert expected is not None
        came, failed = self._asked(self.candidate, self.report.candidate, request)
        if came is None:
            outcome, told = "failed", [failed]
        elif came.status != expected.status and not 200 <= came.status < 300:
            outcome = "failed"
            failed = f"status {came.status}"
            told = [f"{failed}: {came.body[:200].decode(errors='replace')}"]
        else:
            outcome, size, told = self._compared(expected, came)
        with self._lock:
            self.report.counts[outcome] += 1
            if outcome == "failed":
                self.report.failures[failed] += 1
            if outcome in ("failed", "different"):
                self.report.keep(
                    Different(
                        size=size,
                        number=number,
                        where=one.where,
                        event_id=one.event_id,
                        at=one.at.isoformat(),
                        content_type=request.content_type,
                        request=excerpt(request.body),
                        expected=excerpt(expected.body),
                        came="" if came is None else excerpt(came.body),
                        differences=tuple(told),
                    )
                )

    def _compared(self, expected: Answer, came: Answer) -> tuple[str, float, list[str]]:
        """The outcome, the largest distance that counts, and the worst of what counts."""
        worst: list[tuple[float, int, Difference]] = []
        any_difference = noisy = False
        size = 0.0
        for number, found in enumerate(answer_differences(expected, came)):
            any_difference = True
            if found.distance <= self.options.tolerance:
                continue
            if self.report.noise.explains(found):
                noisy = True
                continue
            size = max(size, found.distance)
            entry = (found.distance, -number, found)
            if len(worst) < SHOWN_DIFFERENCES:
                heapq.heappush(worst, entry)
            else:
                heapq.heappushpop(worst, entry)
        if worst:
            ordered = sorted(worst, key=lambda each: each[:2], reverse=True)
            return "different", size, [str(found) for *_, found in ordered]
        if noisy:
            return "within noise", 0.0, []
        return ("within tolerance" if any_difference else "equal"), 0.0, []

    def _asked(self, target: Target, side: Side, request: Request) -> tuple[Answer | None, str]:
        """The answer, or why there is none."""
        sent = time.perf_counter()
        try:
            answer = target.send(request)
        except NotFound:
            raise
        except ReportedError as error:
            return None, str(error).partition("\n")[0].partition("; its log:")[0][:300]
        seconds = time.perf_counter() - sent
        with self._lock:
            side.seconds.append(seconds)
        return answer, ""

    def _obstacle(self, one: Captured) -> str:
        """Why an event cannot be replayed; "" where it can."""
        if one.request is None or (one.answer is None and self.baseline is None):
            return one.unread
        targets = filter(None, (self.candidate, self.baseline))
        most = min(target.most_bytes for target in targets)
        if len(one.request.body) > most:
            return f"the request is larger than the {most} bytes that the target takes"
        return ""

    def _request(self, one: Captured) -> Request:
        assert one.request is not None
        if self.options.accept is None:
            return one.request
        return replace(one.request, accept=self.options.accept or None)


def _spread(count: int, wanted: int) -> Sequence[int]:
    """So many numbers below ``count``, evenly apart."""
    if wanted >= count:
        return range(count)
    return [number * count // wanted for number in range(wanted)]


class Pace:
    """The recorded rhythm, ``speed`` times as fast; None is as fast as the callers are free.

    ``times`` are when each request was, in seconds and in order. ``late_seconds`` is how far the
    replay fell behind at most, because every caller was waiting for an answer.
    """

    def __init__(self, times: Sequence[float], speed: float | None) -> None:
        self._times = times
        self._speed = speed
        self._began = time.monotonic()
        self.late_seconds = 0.0

    def begin(self) -> None:
        """The first request is due now."""
        self._began = time.monotonic()

    def wait(self, number: int) -> None:
        """Wait until the request of this number is due."""
        if self._speed is None:
            return
        due = self._began + (self._times[number] - self._times[0]) / self._speed
        ahead = due - time.monotonic()
        if ahead > 0:
            time.sleep(ahead)
        else:
            self.late_seconds = max(self.late_seconds, -ahead)
