"""Every rule: a case that it names, and the nearest one that it lets pass."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from sagemaker_serving.errors import Problem
from sagemaker_serving.rules import RULES, check_environment
from sagemaker_serving.spec import read_environment
from tests.models import saved_model
from tests.rules.batch.batch_cases import ENVIRONMENTS as BATCH_CASES
from tests.rules.endpoint.kind_cases import ENVIRONMENTS as KIND_CASES

ROOT = Path(__file__).parents[2]

SOUND: dict[str, Any] = {
    "name": "prod",
    "region": "eu-west-1",
    "models": {
        "digits": {
            "artifact": "model",
            "framework": "tensorflow",
            "framework_version": "2.19",
            "batching": {"max_batch_size": 8},
            "variants": [
                {"name": "blue", "instance_type": "ml.c5.large"},
                {"name": "green", "instance_type": "ml.g4dn.xlarge"},
            ],
            "batch_transform": {"instance_type": "ml.m5.large"},
        }
    },
}
US_S3, EU_S3 = (f"https://s3.{region}.amazonaws.com" for region in ("us-east-1", "eu-west-1"))
DIGITS = ("models", "digits")
BLUE = (*DIGITS, "variants", 0)
OWN = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/mine:1"

Change = dict[tuple[str | int, ...], Any]

CASES: list[tuple[str, Change, str, Change]] = [
    # rule, what is wrong, what is said, the nearest that passes
    (
        "endpoint-name",
        {("name",): "prod_eu"},
        "the endpoint would be named 'prod_eu-digits' (14 characters)",
        {("name",): "prod-eu"},
    ),
    (
        "endpoint-name",
        {("name",): "p" * 57},
        "(64 characters); names take at most 63",
        {("name",): "p" * 56},
    ),
    (
        "region",
        {("region",): "eu-west-11"},
        "region is 'eu-west-11'; SageMaker hosting is not offered there; did you mean eu-west-1",
        {("region",): "eu-west-2"},
    ),
    (
        "account",
        {("account",): "12345"},
        "account is '12345'; an AWS account is 12 digits",
        {("account",): "123456789012"},
    ),
    (
        "tags",
        {("tags",): {f"k{n}": "v" for n in range(51)}},
        "there are 51 tags; AWS takes 50",
        {("tags",): {f"k{n}": "v" for n in range(50)}},
    ),
    ("tags", {("tags",): {"aws:x": "v"}}, "without 'aws:'", {("tags",): {"x": "v"}}),
    ("tags", {("tags",): {"k": "v" * 257}}, "AWS takes 256", {("tags",): {"k": "v" * 256}}),
    (
        "model-name",
        {("models", "Storage"): {"artifact": "s3://b/model.tar.gz"}},
        "'Storage' is the name of the environment's own stack; rename the model",
        {("models", "storage"): {"artifact": "s3://b/model.tar.gz"}},
    ),
    (
        "something-to-deploy",
        {(*DIGITS, "variants"): [], (*DIGITS, "batch_transform"): None},
        "neither variants nor batch_transform",
        {(*DIGITS, "variants"): []},
    ),
    (
        "endpoint-instance-type",
        {(*BLUE, "instance_type"): "ml.t3.medium"},
        "instance_type is 'ml.t3.medium'; endpoints do not take it; use ml.t2.medium",
        {(*BLUE, "instance_type"): "ml.t2.medium"},
    ),
    (
        "endpoint-instance-type",
        {(*BLUE, "instance_type"): "c5.xlarge"},
        "instance_type is 'c5.xlarge'; endpoints do not take it; use ml.c5.xlarge",
        {(*BLUE, "instance_type"): "ml.c5.xlarge"},
    ),
    (
        "transform-instance-type",
        {(*DIGITS, "batch_transform", "instance_type"): "ml.c7g.large"},
        "instance_type is 'ml.c7g.large'; transform jobs do not take it; use ml.c7i.large",
        {(*DIGITS, "batch_transform", "instance_type"): "ml.c7i.large"},
    ),
    (
        "endpoint-instance-region",
        {(*BLUE, "instance_type"): "ml.c6in.large"},
        "the price list of eu-west-1 lacks it (no region prices it)",
        {(*BLUE, "instance_type"): "ml.g5.2xlarge"},
    ),
    (
        "transform-instance-region",
        {
            ("region",): "af-south-1",
            (*DIGITS, "batch_transform", "instance_type"): "ml.c4.xlarge",
        },
        "the price list of af-south-1 lacks it",
        {("region",): "af-south-1", (*DIGITS, "batch_transform", "instance_type"): "ml.c5.xlarge"},
    ),
    (
        "neuron-needs-compiled-model",
        {(*BLUE, "instance_type"): "ml.inf1.xlarge"},
        "an Inferentia host; it runs models compiled for it",
        {(*BLUE, "instance_type"): "ml.inf1.xlarge", (*BLUE, "image_uri"): OWN},
    ),
    (
        "image-known",
        {(*DIGITS, "framework_version"): "2.17"},
        "framework_version is '2.17'; tensorflow images exist for",
        {(*DIGITS, "framework_version"): "2.16"},
    ),
    (
        "image-known",
        {(*DIGITS, "framework"): "tensorflw"},
        "did you mean 'tensorflow'",
        {(*DIGITS, "framework"): "tensorflow"},
    ),
    (
        "image-known",
        {(*DIGITS, "framework"): None},
        "neither framework nor image_uri is given",
        {(*DIGITS, "framework"): None, (*DIGITS, "image_uri"): OWN},
    ),
    (
        "image-known",
        {(*DIGITS, "framework_version"): None},
        "framework_version is missing",
        {(*DIGITS, "framework_version"): "2.19"},
    ),
    (
        "image-known",
        {(*BLUE, "instance_type"): "ml.c7g.large"},
        "on the arm64 type ml.c7g.large",
        {(*BLUE, "instance_type"): "ml.c7g.large", (*BLUE, "framework_version"): "2.16"},
    ),
    (
        "image-uri",
        {(*DIGITS, "image_uri"): "docker.io/library/nginx"},
        "endpoints pull only from ECR",
        {(*DIGITS, "image_uri"): OWN},
    ),
    (
        "image-uri",
        {(*DIGITS, "image_uri"): OWN.replace("eu-west-1", "us-east-1")},
        "image_uri is in us-east-1; an endpoint in eu-west-1 pulls only from eu-west-1",
        {(*DIGITS, "image_uri"): OWN},
    ),
    (
        "elastic-inference-ended",
        {(*BLUE, "accelerator_type"): "ml.eia2.medium", (*BLUE, "framework_version"): "2.3"},
        "accelerator_type is 'ml.eia2.medium'; AWS has ended Elastic Inference; use a small GPU",
        {
            ("accept_retired",): ["elastic-inference"],
            (*BLUE, "accelerator_type"): "ml.eia2.medium",
            (*BLUE, "framework_version"): "2.3",
        },
    ),
    (
        "elastic-inference-accepted",
        {
            ("accept_retired",): ["elastic-inference"],
            (*BLUE, "accelerator_type"): "ml.eia2.medium",
        },
        "and accept_retired allows it; the template is rendered",
        {("accept_retired",): ["elastic-inference"]},
    ),
    (
        "network",
        {("network",): {"subnet_ids": ["s"] * 17, "security_group_ids": ["g"]}},
        "subnet_ids has 17 entries; a model takes 1 to 16; remove some",
        {("network",): {"subnet_ids": ["s"] * 16, "security_group_ids": ["g"]}},
    ),
    (
        "network-cidr",
        {("network",): {"cidr": "10.0.0.0/20"}},
        "cidr is '10.0.0.0/20'; it must be a /16 to /19; use 10.0.0.0/16",
        {("network",): {"cidr": "10.0.0.0/19"}},
    ),
    (
        "variant-volume",
        {(*BLUE, "volume_size_in_gb"): 0},
        "volume_size_in_gb is 0; it must be 1 to 512; use 1",
        {(*BLUE, "volume_size_in_gb"): 1},
    ),
    (
        "variant-timeouts",
        {(*BLUE, "container_startup_health_check_timeout_in_seconds"): 59},
        "container_startup_health_check_timeout_in_seconds is 59; it must be 60 to 3600; use 60",
        {(*BLUE, "container_startup_health_check_timeout_in_seconds"): 60},
    ),
    (
        "answer-time",
        {(*DIGITS, "server"): {"gunicorn_timeout_seconds": 61}},
        "gunicorn_timeout_seconds is 61; InvokeEndpoint waits 60 seconds",
        {(*DIGITS, "server"): {"gunicorn_timeout_seconds": 60}},
    ),
    (
        "burstable-batching",
        {(*BLUE, "instance_type"): "ml.t2.medium"},
        "instance_type is 'ml.t2.medium', whose CPU is throttled",
        {(*BLUE, "instance_type"): "ml.t2.medium", (*DIGITS, "batching"): None},
    ),
    (
        "location-region",
        {(*DIGITS, "artifact"): {"s3": "s3://models-us-east-1/k.tar.gz", "sha256": "0"}},
        "whose bucket seems to lie in us-east-1",
        {(*DIGITS, "artifact"): {"s3": "s3://models-eu-west-1/k.tar.gz", "sha256": "0"}},
    ),
    (
        "location-region",
        {(*DIGITS, "artifact"): {"s3": f"{US_S3}/models/k.tar.gz", "sha256": "0"}},
        "whose bucket seems to lie in us-east-1",
        {(*DIGITS, "artifact"): {"s3": f"{EU_S3}/models/k.tar.gz", "sha256": "0"}},
    ),
    (
        "image-processor",
        {
            (*BLUE, "image_uri"): "763104351884.dkr.ecr.eu-west-1.amazonaws.com/"
            "tensorflow-inference:2.19-gpu"
        },
        "image_uri is an image for GPUs and ml.c5.large has no GPU",
        {
            (*BLUE, "image_uri"): "763104351884.dkr.ecr.eu-west-1.amazonaws.com/"
            "tensorflow-inference:2.19-cpu"
        },
    ),
    (
        "variant-name",
        {(*BLUE, "name"): "blue_1"},
        "name is 'blue_1'; variant names take 1 to 63",
        {(*BLUE, "name"): "blue-1"},
    ),
    (
        "variant-names-unique",
        {(*BLUE, "name"): "green"},
        "a variant named 'green' stands above",
        {(*BLUE, "name"): "green2"},
    ),
    (
        "variant-count",
        {
            (*DIGITS, "variants"): [
                {"name": f"v{n}", "instance_type": "ml.c5.large"} for n in range(11)
            ]
        },
        "there are 11 variants; an endpoint takes 1 to 10",
        {
            (*DIGITS, "variants"): [
                {"name": f"v{n}", "instance_type": "ml.c5.large"} for n in range(10)
            ]
        },
    ),
    (
        "variant-instances",
        {(*BLUE, "initial_instance_count"): 0},
        "initial_instance_count is 0; it must be at least 1",
        {(*BLUE, "initial_instance_count"): 1},
    ),
    (
        "variant-instances",
        {(*BLUE, "weight"): -1},
        "weight is -1; it must be at least 0",
        {(*BLUE, "weight"): 0},
    ),
    (
        "variant-weights",
        {(*BLUE, "weight"): 0, (*DIGITS, "variants", 1, "weight"): 0},
        "every variant's weight is 0",
        {(*BLUE, "weight"): 0},
    ),
    (
        "batching-off",
        {(*DIGITS, "batching", "enabled"): False},
        "max_batch_size is 8 but batching is off (enabled: false)",
        {(*DIGITS, "batching"): {"enabled": False}},
    ),
    (
        "batching-off",
        {
            (*DIGITS, "batching"): None,
            (*DIGITS, "environment"): {"SAGEMAKER_TFS_MAX_BATCH_SIZE": "4"},
        },
        "SAGEMAKER_TFS_MAX_BATCH_SIZE is '4' but batching is off",
        {
            (*DIGITS, "batching"): None,
            (*DIGITS, "environment"): {
                "SAGEMAKER_TFS_MAX_BATCH_SIZE": "4",
                "SAGEMAKER_TFS_ENABLE_BATCHING": "true",
            },
        },
    ),
    (
        "batching-ranges",
        {(*DIGITS, "batching", "max_batch_size"): 0},
        "max_batch_size is 0; it must be at least 1",
        {(*DIGITS, "batching", "batch_timeout_micros"): 0},
    ),
    (  # 2 CPUs
        "batching-queue",
        {(*DIGITS, "batching", "max_enqueued_batches"): 2},
        "max_enqueued_batches is 2, and 2 batches are worked on at a time, so that request 5 is "
        "refused with 503 when each fills a batch; this project's client sends 8 at a time; "
        "use max_enqueued_batches 6 or more",
        {(*DIGITS, "batching", "max_enqueued_batches"): 6},
    ),
    (  # null leaves it to the container
        "batching-queue",
        {(*DIGITS, "batching", "max_enqueued_batches"): None},
        "max_enqueued_batches is 2, one for each CPU, and 2 batches",
        {(*BLUE, "instance_type"): "ml.c5.xlarge", (*DIGITS, "batching"): {}},
    ),
    (
        "batching-queue",
        {
            (*DIGITS, "batching", "max_enqueued_batches"): 2,
            (*DIGITS, "batching", "num_batch_threads"): 5,
            (*DIGITS, "asynchronous"): {"max_concurrent_invocations_per_instance": 8},
        },
        "request 8 is refused with 503 when each fills a batch; "
        "max_concurrent_invocations_per_instance is 8; use max_enqueued_batches 3 or more",
        {
            (*DIGITS, "batching", "max_enqueued_batches"): 2,
            (*DIGITS, "batching", "num_batch_threads"): 5,
            (*DIGITS, "asynchronous"): {"max_concurrent_invocations_per_instance": 7},
        },
    ),
    (
        "batching-queue",
        {(*DIGITS, "asynchronous"): {"max_concurrent_invocations_per_instance": 100}},
        "max_enqueued_batches is 64 by default, and 2 batches",
        {(*DIGITS, "asynchronous"): {}},
    ),
    (
        "batching-queue",
        {
            (*DIGITS, "batch_transform", "max_concurrent_transforms"): 67,
            (*DIGITS, "batch_transform", "max_payload_in_mb"): 1,
        },
        "max_concurrent_transforms is 67; use max_enqueued_batches 65 or more",
        {
            (*DIGITS, "batch_transform", "max_concurrent_transforms"): 67,
            (*DIGITS, "batch_transform", "max_payload_in_mb"): 1,
            (*DIGITS, "batch_transform", "environment"): {
                "SAGEMAKER_TFS_MAX_ENQUEUED_BATCHES": "65"
            },
        },
    ),
    (
        "batching-queue",
        {
            (*DIGITS, "batching", "max_enqueued_batches"): 1,
            (*DIGITS, "server"): {"instance_count": 2},
        },
        "so that request 7 is refused",
        {
            (*DIGITS, "batching", "max_enqueued_batches"): 1,
            (*DIGITS, "environment"): {"SAGEMAKER_GUNICORN_WORKER_CLASS": "gthread"},
        },
    ),
    (
        "server-ranges",
        {(*DIGITS, "server"): {"fractional_gpu_mem_margin": 1.5}},
        "fractional_gpu_mem_margin is 1.5; it must be 0 to 1; use 1",
        {(*DIGITS, "server"): {"fractional_gpu_mem_margin": 1}},
    ),
    (
        "server-ranges",
        {(*DIGITS, "server"): {"gunicorn_timeout_seconds": 0}},
        "gunicorn_timeout_seconds is 0; it must be at least 1",
        {(*DIGITS, "server"): {"inter_op_parallelism": 0}},
    ),
    (
        "variable-set-twice",
        {(*DIGITS, "environment"): {"SAGEMAKER_TFS_MAX_BATCH_SIZE": "4"}},
        "SAGEMAKER_TFS_MAX_BATCH_SIZE is set here and by batching.max_batch_size",
        {(*DIGITS, "environment"): {"SAGEMAKER_TFS_NUM_BATCH_THREADS": "4"}},
    ),
    (
        "batching-switch",
        {
            (*DIGITS, "batching"): None,
            (*DIGITS, "environment"): {"SAGEMAKER_TFS_ENABLE_BATCHING": "yes"},
        },
        "SAGEMAKER_TFS_ENABLE_BATCHING is 'yes'; the container starts only with",
        {
            (*DIGITS, "batching"): None,
            (*DIGITS, "environment"): {"SAGEMAKER_TFS_ENABLE_BATCHING": "True"},
        },
    ),
    (
        "container-environment",
        {(*DIGITS, "environment"): {"MY-KEY": "1"}},
        "the variable 'MY-KEY' is not a name of letters, digits and underscores",
        {(*DIGITS, "environment"): {"MY_KEY": "1"}},
    ),
    (
        "container-environment",
        {(*DIGITS, "environment"): {"KEY": "x" * 1025}},
        "KEY has 1025 characters; a container takes 1024",
        {(*DIGITS, "environment"): {"KEY": "x" * 1024}},
    ),
    (
        "container-environment",
        {(*DIGITS, "environment"): {f"K{n}": "" for n in range(101)}},
        "environment has 101 variables; a container takes 100",
        {(*DIGITS, "environment"): {f"K{n}": "" for n in range(100)}},
    ),
    (
        "transform-ranges",
        {(*DIGITS, "batch_transform", "max_payload_in_mb"): 101},
        "max_payload_in_mb is 101; it must be 0 to 100; use 100",
        {(*DIGITS, "batch_transform", "max_payload_in_mb"): 0},
    ),
    (
        "transform-memory",
        {(*DIGITS, "batch_transform", "max_concurrent_transforms"): 17},
        "max_payload_in_mb 6 times max_concurrent_transforms 17 is 102 MB; a job takes 100",
        {(*DIGITS, "batch_transform", "max_concurrent_transforms"): 16},
    ),
    (
        "transform-strategy",
        {(*DIGITS, "batch_transform", "batch_strategy"): "MultiRecord"},
        "batch_strategy is 'MultiRecord' but split_type is None",
        {
            (*DIGITS, "batch_transform", "batch_strategy"): "MultiRecord",
            (*DIGITS, "batch_transform", "split_type"): "Line",
        },
    ),
    (
        "transform-environment",
        {(*DIGITS, "batch_transform", "environment"): {f"K{n}": "" for n in range(17)}},
        "environment has 17 variables; a transform job takes 16",
        {(*DIGITS, "batch_transform", "environment"): {f"K{n}": "" for n in range(16)}},
    ),
    *KIND_CASES,
    *BATCH_CASES,
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A right model beside the environment file."""
    folder = tmp_path_factory.mktemp("environments")
    model = folder / "model" / "digits" / "1" / "saved_model.pb"
    model.parent.mkdir(parents=True)
    model.write_bytes(saved_model())
    return folder


def problems(folder: Path, change: Change) -> list[Problem]:
    environment = copy.deepcopy(SOUND)
    for path, value in change.items():
        place: Any = environment
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
    path_of_file = folder / "prod.yaml"
    path_of_file.write_text(yaml.safe_dump(environment, sort_keys=False))
    return check_environment(read_environment(path_of_file))


def test_the_sound_environment_has_no_problem(folder: Path) -> None:
    assert problems(folder, {}) == []


@pytest.mark.parametrize(
    ("rule", "wrong", "said", "right"),
    CASES,
    ids=[f"{case[0]}-{n}" for n, case in enumerate(CASES)],
)
def test_the_rule_names_the_wrong_and_lets_the_nearest_pass(
    folder: Path, rule: str, wrong: Change, said: str, right: Change
) -> None:
    found = [problem for problem in problems(folder, wrong) if problem.rule == rule]
    assert any(said in problem.message for problem in found), found
    assert all(problem.where.line is not None for problem in found)
    assert [problem for problem in problems(folder, right) if problem.rule == rule] == []


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_without_an_end_is_a_problem_of_its_range_alone(
    folder: Path, number: float
) -> None:
    asynchronous = {"max_concurrent_invocations_per_instance": number}
    found = problems(folder, {(*DIGITS, "asynchronous"): asynchronous})
    assert {problem.rule for problem in found} >= {"async-ranges"}
    assert "batching-queue" not in {problem.rule for problem in found}


def test_every_rule_says_what_it_demands_and_where_that_is_written() -> None:
    for rule in RULES:
        assert rule.judge.__doc__, rule.id
        assert rule.source, rule.id


def test_all_problems_come_at_once_in_the_order_of_the_file(folder: Path) -> None:
    found = problems(
        folder,
        {
            ("region",): "nowhere",
            (*DIGITS, "artifact"): "gone",
            (*DIGITS, "framework_version"): 2.19,
            (*BLUE, "instance_type"): "ml.t3.medium",
        },
    )
    assert [problem.rule for problem in found] == [
        "region",
        "artifact-readable",
        "wrong-type",
        "endpoint-instance-type",
    ]


@pytest.mark.parametrize("junk", [None, 3, "text", [], {}, [1], {"a": None}, True, 1e400])
@pytest.mark.parametrize(
    "path", [("name",), ("region",), ("tags",), ("models",), DIGITS, (*DIGITS, "variants"), BLUE]
    + [(*DIGITS, key) for key in ("artifact", "framework", "batching", "server", "environment")]
    + [(*DIGITS, key) for key in ("scaling", "update", "asynchronous", "multi_model", "containers")]
    + [(*DIGITS, key) for key in ("inference_components", "shadow_variants", "model_package")]
    + [(*DIGITS, "data_capture"), (*DIGITS, "monitoring"), ("production",), ("monitoring",)]
    + [(*DIGITS, "batch_transform"), (*DIGITS, "transition"), (*BLUE, "weight")],
)  # fmt: skip
def test_junk_anywhere_is_a_problem_and_never_a_crash(
    folder: Path, path: tuple[str | int, ...], junk: Any
) -> None:
    assert all(isinstance(problem, Problem) for problem in problems(folder, {path: junk}))


@pytest.mark.parametrize("name", ["local", "dev", "staging", "prod"])
def test_shipped_environments_have_no_problem(name: str) -> None:
    assert check_environment(read_environment(ROOT / "environments" / f"{name}.yaml")) == []
