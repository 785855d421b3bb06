"""Where the logs of model servers and jobs lie in the local AWS's folder.

::

    <state>/logs/endpoints/<region>/<endpoint>/<variant>-<generation>.log
    <state>/logs/transform/<region>/<job>.log
    <state>/logs/transform/<region>/<job>.data.log
    <state>/logs/compilation/<region>/<job>.log

A generation is one fleet of an endpoint: each create, update and start has the
next number. Logs outlive what wrote them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class VariantLog:
    """The log of one variant's server in one generation."""

    variant: str
    generation: int
    path: Path


def endpoint_log(state_dir: Path, region: str, endpoint: str, place: str) -> Path:
    """The log of the server at ``place`` (``<variant>-<generation>``) of an endpoint."""
    return _endpoints(state_dir, region) / endpoint / f"{place}.log"


def job_log(state_dir: Path, kind: str, region: str, job: str) -> Path:
    """The log of a job; ``kind`` is ``transform`` or ``compilation``."""
    return state_dir / "logs" / kind / region / f"{job}.log"


def data_log(state_dir: Path, region: str, job: str) -> Path:
    """What SageMaker says about the objects of a transform job."""
    return job_log(state_dir, "transform", region, f"{job}.data")


def endpoints_with_logs(state_dir: Path, region: str) -> list[str]:
    """The endpoints, past ones too, that have written logs in a region."""
    folder = _endpoints(state_dir, region)
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def regions_with_logs(state_dir: Path, endpoint: str) -> set[str]:
    """The regions in which an endpoint, perhaps a past one, has written a log."""
    return {path.parent.name for path in (state_dir / "logs" / "endpoints").glob(f"*/{endpoint}")}


def variant_logs(state_dir: Path, region: str, endpoint: str) -> list[VariantLog]:
    """Every log of an endpoint, the oldest generation first."""
    found = [
        VariantLog(variant=match["variant"], generation=int(match["generation"]), path=path)
        for path in (_endpoints(state_dir, region) / endpoint).glob("*.log")
        if (match := _NAME.fullmatch(path.stem))
    ]
    return sorted(found, key=lambda log: (log.generation, log.variant))


def last_generation(state_dir: Path, region: str, endpoint: str) -> int:
    """The newest generation of an endpoint that has written a log; 0 when none has."""
    return max((log.generation for log in variant_logs(state_dir, region, endpoint)), default=0)


_NAME = re.compile(r"(?P<variant>.+)-(?P<generation>\d+)")


def _endpoints(state_dir: Path, region: str) -> Path:
    return state_dir / "logs" / "endpoints" / region
