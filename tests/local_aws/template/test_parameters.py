"""What a value breaks of its parameter's declaration."""

from __future__ import annotations

from local_aws.template.parameters import broken


def test_a_pattern_that_only_java_reads_is_not_judged_and_the_rest_is() -> None:
    declared = {"Type": "String", "AllowedPattern": r"\p{Alpha}+", "MaxLength": 3}
    assert list(broken(declared, "abc")) == []
    assert list(broken(declared, "abcd")) == ["must contain at most 3 characters"]
    assert list(broken({**declared, "AllowedPattern": "[a-c]+"}, "abd")) == [
        "must match pattern [a-c]+"
    ]
