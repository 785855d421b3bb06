"""What the container does differently from generation to generation, as one table.

Whatever is not here is the same in all of them. Source:
aws/sagemaker-tensorflow-serving-container da19256 (A) and
aws/deep-learning-containers f06ada0e08 (B) and e0ecede (C);
docs/container-contract.md says what of it is unverified.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from sagemaker_serving.model_server.attributes import (
    Attributes,
    front_attributes,
    handler_attributes,
    judged_front_attributes,
    judged_handler_attributes,
)
from sagemaker_serving.model_server.conversion import (
    CONVERSION_TO_2_8,
    CONVERSION_TO_2_19,
    CONVERSION_TODAY,
    Conversion,
)
from sagemaker_serving.model_server.generations import Generation
from sagemaker_serving.model_server.logs import FORMAT, PLAIN_FORMAT
from sagemaker_serving.model_server.multi_model import (
    RULES_TO_2_8,
    RULES_TO_2_19,
    RULES_TODAY,
    MultiModelRules,
)
from sagemaker_serving.model_server.settings import Settings


@dataclass(frozen=True, kw_only=True)
class HandlerRules:
    """How the Python service treats requests and the user's handlers."""

    attributes: Callable[[str | None], Attributes]
    """Reads the tfs-* attributes; raises `BadAttribute` or `UnreadableAttributes`."""

    http_errors: bool
    """Whether an HTTP error, of TF Serving or raised by a handler, is the answer's status.

    Otherwise TF Serving's error is an answer like any other, which
    ``output_handler`` is given and the default handler returns with status 200,
    and what a handler raises is a 500.
    """

    checks_content_type: bool
    """Whether the default handler refuses content types with a 415."""

    has_timeout: bool
    """Whether calls of TF Serving have a time-out, which the Context tells as its last field."""

    answers_get: bool
    """Whether GET /invocations is a 200; otherwise it is a 500."""

    falcon_major: int
    """The major version of falcon, which says what becomes of odd answers and uncaught errors."""


class FrontAttributes(Protocol):
    """Reads the attributes of a header; /ping has ``judges_method`` False."""

    def __call__(self, header: str | None, *, judges_method: bool = True) -> Attributes:
        """May raise `BadAttribute`."""


@dataclass(frozen=True, kw_only=True)
class Contract:
    """One generation's container."""

    generation: Generation

    worker_parts: tuple[str, ...]
    """What in ``code/`` starts the Python service, any of it."""

    wait_seconds: Callable[[int], int]
    """The default of SAGEMAKER_TFS_WAIT_TIME_SECONDS, by the number of TF Serving processes."""

    nginx: str
    """nginx's Server header and the foot of its pages; without a version where images pin none."""

    log_format: str
    """The form of the container's own log lines, as `logging` has it."""

    event_loop: str
    """What TensorFlow Serving says once it answers: people wait for this line. The number is that
    of evhttp_server.cc at 2.0.0, 2.8.0, 2.12.1 and 2.20.0; it differs within a generation."""

    conversion: Conversion
    """Bodies on the path without code."""

    front_attributes: FrontAttributes
    """Reads the tfs-* attributes on the path without code; may raise `BadAttribute`."""

    handler: HandlerRules
    multi_model: MultiModelRules

    def wait_time(self, settings: Settings) -> int:
        """How many seconds a model may take to load."""
        given = settings.wait_time_seconds
        return self.wait_seconds(settings.instance_count) if given is None else given


_EVENT_LOOP = "[evhttp_server.cc : {}] NET_LOG: Entering the event loop ..."
_SCRIPT = ("inference.py",)
_ANY_CODE = ("inference.py", "requirements.txt", "lib")

_A = Contract(
    generation=Generation.A,
    worker_parts=_SCRIPT,
    wait_seconds=lambda instances: 300,
    nginx="nginx",
    log_format=PLAIN_FORMAT,
    event_loop=_EVENT_LOOP.format(238),
    conversion=CONVERSION_TO_2_8,
    front_attributes=front_attributes,
    handler=HandlerRules(
        attributes=handler_attributes,
        http_errors=False,
        checks_content_type=False,
        has_timeout=False,
        answers_get=False,
        falcon_major=2,
    ),
    multi_model=RULES_TO_2_8,
)

_B1 = replace(
    _A,
    generation=Generation.B1,
    event_loop=_EVENT_LOOP.format(245),
    # The order was turned on 2022-08-11.
    conversion=replace(_A.conversion, lines_first=True),
)

_B2 = replace(
    _A,
    generation=Generation.B2,
    log_format=FORMAT,
    event_loop=_EVENT_LOOP.format(245),
    conversion=CONVERSION_TO_2_19,
    worker_parts=_ANY_CODE,
    handler=replace(_A.handler, falcon_major=3),
    wait_seconds=lambda instances: 55 // instances,
    multi_model=RULES_TO_2_19,
)

_C = Contract(
    generation=Generation.C,
    worker_parts=_ANY_CODE,
    wait_seconds=lambda instances: 60,
    nginx="nginx/1.30.3",
    log_format=FORMAT,
    event_loop=_EVENT_LOOP.format(261),
    conversion=CONVERSION_TODAY,
    front_attributes=judged_front_attributes,
    handler=HandlerRules(
        attributes=judged_handler_attributes,
        http_errors=True,
        checks_content_type=True,
        has_timeout=True,
        answers_get=True,
        falcon_major=3,
    ),
    multi_model=RULES_TODAY,
)

CONTRACTS = {contract.generation: contract for contract in (_A, _B1, _B2, _C)}
"""The contract of every generation."""
