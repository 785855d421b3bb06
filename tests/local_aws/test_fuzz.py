"""Whatever is asked of whichever operation, AWS's answer is never that the tool broke.

`LOCAL_AWS_FUZZ_CASES` says how many requests are sent; ``make fuzz`` makes them many. Another text
in `LOCAL_AWS_FUZZ_SEED` makes others of them. Each failure names its case, its operation, the
arguments of the call and what was raised.
"""

from __future__ import annotations

import os

import pytest

from tests.local_aws.aws import REGION, Aws
from tests.local_aws.fuzzing import Fuzzer, by_kind

CASES = int(os.environ.get("LOCAL_AWS_FUZZ_CASES", "150"))
SEED = os.environ.get("LOCAL_AWS_FUZZ_SEED", "")


@pytest.mark.slow
def test_no_request_is_answered_with_a_failure_of_the_tools_own(aws: Aws) -> None:
    fuzzer = Fuzzer(aws.gateway, REGION, SEED)
    operations = sorted(
        (each for service in aws.gateway.services() for each in fuzzer.operations(service.name)),
        key=by_kind,
    )
    # A step that shares no factor with their number comes to each before one again.
    step = 1 if len(operations) <= CASES else 2
    cases = ((case, operations[case * step % len(operations)]) for case in range(CASES))
    failed = [wrong for case, operation in cases if (wrong := fuzzer.ask(case, operation))]
    assert not failed, f"{len(failed)} of {fuzzer.sent}:\n\n" + "\n\n".join(failed)
    assert fuzzer.sent > 0.7 * CASES
