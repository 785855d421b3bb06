"""Environment files with one thing wrong in names, tags, networks, images or hardware."""

from __future__ import annotations

from typing import Any

from tests.rules.changes import BLUE, COMPONENTS, DIGITS, UPDATE, Change

SG, SUBNET = "sg-0123456789abcdef0", "subnet-0123456789abcdef0"
AWS = "763104351884.dkr.ecr.eu-west-1.amazonaws.com/tensorflow-inference:"
MANY = [f"text/csv{n}" for n in range(11)]
CPU = {"name": "blue", "instance_type": "ml.c5.large"}
BATCH = (*DIGITS, "batch_transform")
ON_NVME: Change = {(*BATCH, "instance_type"): "ml.g4dn.xlarge"}
SECOND = {
    "artifact": "model",
    "framework": "tensorflow",
    "framework_version": "2.20",
    "variants": [CPU],
}
CIDRS = [
    ("127.0.0.0/16", "10.0.0.0/16"),
    ("169.254.0.0/16", "192.168.0.0/16"),
    ("192.0.2.0/24", "172.16.0.0/16"),
    ("198.18.0.0/16", "172.31.0.0/16"),
    ("240.0.0.0/16", "100.64.0.0/16"),
    ("8.8.0.0/16", "10.8.0.0/16"),
    ("172.17.0.0/16", "172.18.0.0/16"),
    ("172.32.0.0/16", "172.30.0.0/19"),
    ("10.0.0.0", "10.0.0.0/16"),
]
TAGS = [
    ("2.17-cpu-py310", "tensorflow-inference of 1.13", "2.16-cpu-py310"),
    ("9.9-cpu-py310", "has the tag '9.9-cpu-py310'", "2.20.0-cpu-py312"),
    ("latest", "has the tag 'latest', and AWS's tables have no such", "2.20-cpu-py312"),
    ("2.20-tpu-py312", "2.20 is published for cpu, gpu, not tpu", "2.20-cpu-py312"),
    ("2.20-cpu-py39", "published for py312, not py39", "2.20-cpu-py312-ubuntu22.04-v1.2"),
]


def components(*names: str) -> dict[str, Any]:
    component = {"min_memory_required_in_mb": 512}
    return {**SECOND, "inference_components": dict.fromkeys(names, component)}


def moves(endpoint: str) -> Change:
    return {(*DIGITS, "endpoint"): {"existing": endpoint}}


def captured(**types: list[str]) -> Change:
    return {(*DIGITS, "data_capture"): {"sampling_percent": 5, **types}}


def network(subnet: str, group: str) -> Change:
    return {("network",): {"subnet_ids": [subnet], "security_group_ids": [group]}}


def hostnames(*parts: dict[str, str]) -> Change:
    return {
        (*DIGITS, "containers"): [{"artifact": "model", **part} for part in parts],
        (*DIGITS, "artifact"): None,
    }


def _cidr(wrong: str, right: str) -> tuple[str, Change, str, Change]:
    place = ("network",)
    return "network-cidr", {place: {"cidr": wrong}}, f"cidr is '{wrong}'", {place: {"cidr": right}}


def _tag(wrong: str, said: str, right: str) -> tuple[str, Change, str, Change]:
    uri = (*BLUE, "image_uri")
    return "image-tag", {uri: AWS + wrong}, said, {uri: AWS + right}


ENVIRONMENTS: list[tuple[str, Change, str, Change]] = [
    ("environment-name", {("name",): "1dev"}, "name is '1dev'; the names of", {("name",): "d1"}),
    ("environment-name", {("name",): "Default"}, "that CDK leaves out", {("name",): "default"}),
    ("image-known", {(*DIGITS, "inference_components"): {}, (*DIGITS, "framework_version"): "2.17"},
     "framework_version is '2.17'", {(*DIGITS, "inference_components"): {}}),
    ("something-to-deploy", {("models",): {}}, "models is empty", {}),
    ("endpoint-name-unique", {("models", "Digits"): SECOND},
     "'Digits' and 'digits' differ in capitals only", {("models", "digits2"): SECOND}),
    ("existing-not-own", {**moves("Prod-digits")},
     "existing is 'Prod-digits', what this environment calls the endpoint of its own 'digits'",
     {**moves("digits")}),
    ("existing-not-own",
     {**moves("digits"), ("models", "two"): {**SECOND, "endpoint": {"existing": "Digits"}}},
     "'digits' and 'two' both move 'Digits'; leave it to one of them",
     {**moves("digits"), ("models", "two"): {**SECOND, "endpoint": {"existing": "words"}}}),
    ("existing-name", {**moves("my_endpoint")},
     "existing is 'my_endpoint'; an endpoint's name has at most 63 letters",
     {**moves("my-endpoint")}),
    ("existing-parts", {**moves("mine"), **COMPONENTS},
     "inference_components stands beside an endpoint that is there; they are made on",
     {**moves("mine")}),
    ("existing-parts", {**moves("mine"), (*DIGITS, "monitoring"): {"log_retention_days": 30}},
     "log_retention_days stands beside an endpoint that is there; its log group is SageMaker's",
     {**moves("mine"), (*DIGITS, "monitoring"): {"alarms": True}}),
    ("existing-time", {**moves("mine"), UPDATE: {"canary_percent": 10, "wait_seconds": 2880}},
     "the update waits 3000 seconds in all, and a deploy waits less than 3000",
     {**moves("mine"), UPDATE: {"canary_percent": 10, "wait_seconds": 2879}}),
    ("existing-time",
     {**moves("mine"), UPDATE: {"canary_percent": 10, "maximum_execution_timeout_seconds": 3001}},
     "maximum_execution_timeout_seconds is 3001, and a deploy waits at most 3000 seconds",
     {**moves("mine"), UPDATE: {"canary_percent": 10, "maximum_execution_timeout_seconds": 3000}}),
    ("component-name-unique",
     {("models", "a"): components("b-c"), ("models", "a-b"): components("c")},
     "'c' of 'a-b' and 'b-c' of 'a' would both be named 'prod-a-b-c'",
     {("models", "a"): components("b-c"), ("models", "a-b"): components("d")}),
    ("component-name-parts", {("models", "a"): components("half", "halfModel")},
     "'halfModel' is what the stack calls a part of 'half'",
     {("models", "a"): components("half", "halfmodel", "otherModel")}),
    ("tags-unique", {("tags",): {"Team": "a", "team": "b"}},
     "the tag key 'team' is 'Team' to IAM; remove one of them",
     {("tags",): {"Team": "a", "team2": "b"}}),
    ("tags", {(*BATCH, "tags"): {"aws:x": "v"}}, "without 'aws:'",
     {(*BATCH, "tags"): {"x": "v", "X": "v"}}),
    ("tags", {(*BATCH, "tags"): {f"k{n}": "v" for n in range(49)}},
     "there are 49 tags; AWS takes 50, and 2 are added to these",
     {(*BATCH, "tags"): {f"k{n}": "v" for n in range(48)}}),
    ("network-ids", network(SUBNET, SUBNET), "such as sg-0123", network(SUBNET, SG)),
    ("network-ids", network("", SG), "subnet_ids has ''", network("subnet-0a1b2c3d", SG)),
    *(_cidr(*each) for each in CIDRS),
    ("capture-content-types", captured(json_content_types=["json"]),
     "an entry of json_content_types is 'json'; it must be a type and a subtype",
     captured(json_content_types=["application/vnd.mine"])),
    ("capture-content-types", captured(csv_content_types=["text/*"]),
     "an entry of csv_content_types is 'text/*'", captured(csv_content_types=[])),
    ("capture-content-types", captured(csv_content_types=MANY),
     "csv_content_types has 11 entries; it takes 1 to 10", captured(csv_content_types=MANY[:10])),
    *(_tag(*each) for each in TAGS),
    ("container-hostname", hostnames({"container_hostname": "a"}, {}),
     "container_hostname is missing, and others have one; give each one, or none",
     hostnames({"container_hostname": "a"}, {"container_hostname": "b"})),
    ("transform-environment", {(*BATCH, "environment"): {"a-b": "1"}},
     "a name in environment is 'a-b'; it must be of letters, digits and underscores",
     {(*BATCH, "environment"): {"a_b": "1"}}),
    ("transform-types", {(*BATCH, "accept"): ""}, "accept is ''", {(*BATCH, "accept"): "text/csv"}),
    ("transform-types", {(*BATCH, "content_type"): "a" * 257},
     "content_type has 257 characters; it takes at most 256",
     {(*BATCH, "content_type"): "a" * 256}),
    ("prefix-form", {(*DIGITS, "data_capture"): {"sampling_percent": 5, "prefix": ""}},
     "prefix is '' (0 characters); it must have 1 to 440",
     {(*DIGITS, "data_capture"): {"sampling_percent": 5, "prefix": "p" * 440}}),
    ("prefix-form", {(*BLUE, "core_dump"): {"prefix": "dumps/"}},
     "remove the slash at its beginning or end", {(*BLUE, "core_dump"): {"prefix": "my/dumps"}}),
]  # fmt: skip
