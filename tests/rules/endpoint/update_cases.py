"""Environment files with one thing wrong in an endpoint's update, or in what production demands."""

from __future__ import annotations

from tests.rules.changes import (
    BLUE,
    COMPONENTS,
    DIGITS,
    SCALING,
    SERVERLESS,
    UPDATE,
    VARIANTS,
    Change,
)

PRODUCTION = ("production",)
TRANSITION = (*DIGITS, "transition")

SAFE: Change = {
    PRODUCTION: True,
    VARIANTS: [{"name": "blue", "instance_type": "ml.c5.large", "initial_instance_count": 2}],
    SCALING: {"blue": {"min": 2, "max": 2}},
}


def releasing(**keep: str) -> Change:
    """`SAFE` in the step that releases the scaling of these variants."""
    return {**SAFE, TRANSITION: {"step": "release_scaling", "keep": keep}}


ENVIRONMENTS: list[tuple[str, Change, str, Change]] = [
    ("replay-limits", {UPDATE: {"replay": {"capture": "model", "max_different_percent": 101}}},
     "max_different_percent is 101; it must be 0 to 100; use 100",
     {UPDATE: {"replay": {"capture": "model", "max_different_percent": 100}}}),
    ("replay-limits", {UPDATE: {"replay": {"capture": "model", "max_difference": -1}}},
     "max_difference is -1; it must be at least 0; use 0 or more",
     {UPDATE: {"replay": {"capture": "model", "max_difference": 0}}}),
    ("replay-capture", {UPDATE: {"replay": {"capture": "captured/"}}},
     "capture is 'captured/', and there is nothing at ",
     {UPDATE: {"replay": {"capture": "s3://bucket/captured"}}}),
    ("replay-by-hand", {UPDATE: {"replay": {"capture": "model"}}},
     "run it before each: sagemaker-serving replay prod/digits", {UPDATE: {"canary_percent": 10}}),
    ("guardrail-alarms", {UPDATE: {"canary_percent": 10, "alarms": [" "]}},
     "AlarmName is ' '; it must be 1 to 255",
     {UPDATE: {"canary_percent": 10, "alarms": ["a" * 255]}}),
    ("guardrail-scaling",
     {SCALING: {"blue": {"min": 1, "max": 2}}, UPDATE: {"linear_percent": 10, "wait_seconds": 180}},
     "the update waits 1920 seconds in all, and until it has ended nothing scales blue",
     {UPDATE: {"linear_percent": 10, "wait_seconds": 180}}),
    ("guardrail-none", {**SERVERLESS, PRODUCTION: True},
     "SageMaker has no guardrails for this endpoint", SAFE),
    ("production-scaling", {PRODUCTION: True},
     "'blue' has no scaling, which production demands; add scaling: {blue: {min: 2, max: 4", SAFE),
    ("production-scaling", {**SAFE, SCALING: None, TRANSITION: {"step": "change_variants"}},
     "'blue' has no scaling, which production demands",
     {**releasing(blue="ml.m5.large"), SCALING: None}),
    ("transition-keep", releasing(), "keep is missing; name each variant whose scaling is released",
     releasing(blue="ml.m5.large")),
    ("transition-keep", releasing(green="ml.m5.large"),
     "'green' is no variant of the file, and SageMaker refuses to remove a scalable target; put "
     "its entry back for this deploy, and remove it after", releasing(blue="ml.m5.large")),
    ("transition-keep", releasing(blue="m5.large"),
     "blue is 'm5.large'; it must be an instance type; use the one that is deployed",
     releasing(blue="ml.m5.large")),
    ("transition-keep",
     {**SERVERLESS, TRANSITION: {"step": "release_scaling", "keep": {"all": "ml.m5.large"}}},
     "all is 'ml.m5.large'; the variant is serverless; use serverless",
     {**SERVERLESS, TRANSITION: {"step": "release_scaling", "keep": {"all": "serverless"}}}),
    ("transition-keep",
     {**COMPONENTS, TRANSITION: {"step": "release_scaling", "keep": {"blue": "ml.m5.large"}}},
     "here inference components are scaled, which do not hinder an update; remove transition",
     releasing(blue="ml.m5.large")),
    ("transition-keep",
     {**SAFE, TRANSITION: {"step": "change_variants", "keep": {"blue": "ml.m5.large"}}},
     "keep is of release_scaling; take that step first, or remove keep",
     {**SAFE, TRANSITION: {"step": "change_variants"}}),
    ("transition-left", releasing(blue="ml.m5.large"),
     "this deploy releases the scaling of blue on ml.m5.large, which serves on meanwhile; after "
     "it, `sagemaker-serving diff ", SAFE),
    ("transition-left", {**SAFE, TRANSITION: {"step": "change_variants"}},
     "this deploy moves the endpoint to the variants of the file without guardrails, all traffic "
     "at once; after it, `sagemaker-serving diff ", SAFE),
    ("production-update", {**SAFE, UPDATE: {"all_at_once": True}},
     "update is all_at_once, and production demands guardrails; use canary_percent",
     {**SAFE, UPDATE: {"linear_percent": 20}}),
    ("production-alarms", {**SAFE, ("monitoring",): {"alarms": False}},
     "alarms are off, and production demands some to roll an update back",
     {**SAFE, ("monitoring",): {"alarms": False}, (*DIGITS, "monitoring"): {"alarms": True}}),
    ("production-instances", {**SAFE, (*BLUE, "initial_instance_count"): 1},
     "the variant starts with 1 instance; in production use at least 2",
     {**SAFE, (*BLUE, "weight"): 0, (*BLUE, "initial_instance_count"): 1}),
]  # fmt: skip
