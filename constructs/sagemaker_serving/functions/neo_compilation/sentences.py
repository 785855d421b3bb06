"""What SageMaker says of a job that failed, and what that means for the one who deploys.

Source of its texts: developer guide, "Troubleshoot Neo compilation errors", and the threads of
users who met them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from sagemaker_serving.functions.custom_resource.refusals import is_denied
from sagemaker_serving.functions.custom_resource.steps import cause_of, clipped

from .jobs import Job
from .objects import Place, files_in, is_code
from .request import Request

_MOST_NAMES = 6
_SHAPES = re.compile(
    r"shape|input names?|as_list\(\)|specify all input layers|dimensionality", re.IGNORECASE
)
_FILES = (
    (re.compile(r"\.pb\b|\.pbtxt|variables folder", re.IGNORECASE), (".pb", ".pbtxt")),
    (re.compile(r"\bh5\b", re.IGNORECASE), (".h5",)),
    (re.compile(r"\bpth?\b.* file", re.IGNORECASE), (".pth", ".pt")),
    (re.compile(r"onnx file", re.IGNORECASE), (".onnx",)),
    (re.compile(r"symbol(\.json)?\b", re.IGNORECASE), (".json",)),
    (re.compile(r"parameter file", re.IGNORECASE), (".params",)),
    (re.compile(r"model file is allowed for XGBoost", re.IGNORECASE), (".model",)),
)


def why_failed(job: Job, request: Request) -> str:
    """One sentence on why ``job`` failed, what it was given, and what to do."""
    reason = " ".join(str(job.get("FailureReason") or "no reason given").split())
    for fits, sentence in _SENTENCES:
        if fits.search(reason):
            said = (
                sentence.format(request) if isinstance(sentence, str) else sentence(request, reason)
            )
            return f"{said} (SageMaker: {clipped(reason, 300)})"
    return (
        f"compilation job {job['CompilationJobName']} failed: {clipped(reason)}; its log is "
        f"in /aws/sagemaker/CompilationJobs"
    )


def was_stopped(name: str) -> str:
    """On a job that this deploy began and somebody else ended."""
    return (
        f"compilation job {name} was stopped while the deploy waited for it; deploy again to "
        "compile anew"
    )


def took_too_long(name: str, minutes: int) -> str:
    """On a job that CloudFormation would not wait for any longer."""
    return (
        f"compilation job {name} was not done after {minutes} minutes, and CloudFormation waits "
        "an hour at most; compile it outside of the deploy with `sagemaker-serving compile`, "
        "then deploy: the finished result is found"
    )


def went_wrong(error: Mapping[str, Any]) -> str:
    """On an error of these functions themselves, as Step Functions reports it."""
    cause = cause_of(error)
    if is_denied(cause):
        return (
            f"the deploy's function is not allowed what compiling needs: {clipped(cause)}; "
            "an organization's policy or a permissions boundary may deny it"
        )
    if "ResourceLimitExceeded" in cause:
        return (
            "the account runs as many compilation jobs as it may at once; wait for them, or ask "
            f"for a higher quota ({clipped(cause, 300)})"
        )
    return f"compiling could not be begun or followed: {clipped(cause)}"


def _about_files(request: Request, reason: str) -> str:
    endings = next(endings for fits, endings in _FILES if fits.search(reason))
    words = " or ".join(endings)
    framework = request.properties["InputConfig"]["Framework"]
    try:
        names = [name for name in files_in(Place.of(request.model_url)) if not is_code(name)]
    except Exception as error:  # whatever it is, the reason itself is still told
        return (
            f"Neo compiles {framework} from exactly one {words} file, and the archive does not "
            f"hold it so; what it holds cannot be read here: {clipped(str(error), 200)}"
        )
    found = [name for name in names if name.endswith(endings)]
    if "variables" in reason:
        return (
            "a SavedModel is compiled together with its variables/ folder, and the archive holds "
            f"{_listed(names)}; put the folder in"
        )
    advice = "leave the others out" if found else "put it in"
    return (
        f"Neo compiles {framework} from exactly one {words} file, and the archive holds "
        f"{len(found)}: {_listed(found or names)}; {advice}"
    )


def _about_shapes(request: Request, reason: str) -> str:
    given = request.properties["InputConfig"].get("DataInputConfig", "nothing")
    signature = request.properties.get("ModelInputs")
    if signature is None:
        return (
            f"data_input_config is {given}, and that does not fit the model's inputs; compare the "
            "names, the order and each dimension with the model"
        )
    return f"data_input_config is {given}, and the model's signature takes {signature}; use that"


def _about_time(request: Request, reason: str) -> str:
    limit = request.properties.get("StoppingCondition", {}).get("MaxRuntimeInSeconds", "?")
    return (
        f"compiling took longer than max_runtime_in_seconds, {limit}; allow more, up to 3600 in a "
        "deploy"
    )


_SENTENCES: tuple[tuple[re.Pattern[str], str | Callable[[Request, str], str]], ...] = (
    (
        re.compile(r"untar input model", re.IGNORECASE),
        "{0.model_url} is not a .tar.gz archive; pack it with `sagemaker-serving package`",
    ),
    (
        re.compile(r"S3 object does not exist", re.IGNORECASE),
        "there is no archive at {0.model_url}",
    ),
    (
        re.compile(r"different from AWS Sagemaker service region", re.IGNORECASE),
        "{0.model_url} lies in another region than the deploy; Neo reads buckets of its own region "
        "only: copy the archive there",
    ),
    (
        re.compile(r"AccessDenied|not authorized|Access Denied|assume", re.IGNORECASE),
        "the compilation's role {0.properties[RoleArn]} may not read the archive or write to "
        "{0.output_url}; bucket and key policies have to let it",
    ),
    (
        re.compile(r"CapacityError|InsufficientCapacity|capacity", re.IGNORECASE),
        "SageMaker has no capacity to compile at the moment; deploy again later",
    ),
    (re.compile(r"TimeOut|MaxRuntimeInSeconds|timed out", re.IGNORECASE), _about_time),
    (
        re.compile(r"not implemented|NotImplemented|is not supported"),
        "Neo cannot compile an operation of this model; replace it in the graph, or serve the "
        "model without compile",
    ),
    (_SHAPES, _about_shapes),
    *((fits, _about_files) for fits, _ in _FILES),
    (
        re.compile(r"Internal ?Server|internal server error|unexpected error", re.I),
        "SageMaker itself failed while it compiled; deploy again, and ask AWS if it stays so",
    ),
)
"""What is said of a reason: a text about the request, or what makes one. The first that fits."""


def _listed(names: list[str]) -> str:
    if not names:
        return "nothing"
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more
