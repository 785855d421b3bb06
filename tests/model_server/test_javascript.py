"""What nginx's JavaScript trims is what its ``\\s`` finds."""

from __future__ import annotations

import re
import sys

from sagemaker_serving.model_server.conversion import SPACE, SPACES


def test_what_is_stripped_is_what_the_class_matches() -> None:
    matched = re.findall(f"[{SPACE}]", "".join(map(chr, range(sys.maxunicode + 1))))
    assert sorted(SPACES) == matched
