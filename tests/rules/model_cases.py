"""Environment files with one thing wrong in a model's variants, batching, server or jobs."""

from __future__ import annotations

from tests.rules.changes import BLUE, DIGITS, Change

TFS, GUNICORN = "SAGEMAKER_TFS_", "SAGEMAKER_GUNICORN_"
ON = f"{TFS}ENABLE_BATCHING"
PYTORCH: Change = {
    (*DIGITS, "framework"): "pytorch",
    (*DIGITS, "framework_version"): "2.6.0",
    (*DIGITS, "batching"): None,
}
OWN_IMAGE: Change = {
    (*DIGITS, "image_uri"): "111122223333.dkr.ecr.eu-west-1.amazonaws.com/mine:1",
    (*DIGITS, "batching"): None,
}
ONE, FLAG = "a whole number of at least 1", "true or false"
VARIABLES: list[tuple[str, str, str, str]] = [
    (ON, "yes", FLAG, "True"),
    (ON, "1", FLAG, "false"),
    (f"{TFS}MAX_BATCH_SIZE", "0", ONE, "1"),
    (f"{TFS}MAX_BATCH_SIZE", "-4", ONE, "4"),
    (f"{TFS}MAX_BATCH_SIZE", "1_000", ONE, "1000"),
    (f"{TFS}MAX_BATCH_SIZE", "1e3", ONE, "1000"),
    (f"{TFS}MAX_BATCH_SIZE", "\u0668", ONE, "8"),
    (f"{TFS}MAX_BATCH_SIZE", "", ONE, "8"),
    (f"{TFS}MAX_BATCH_SIZE", str(2**63), ONE, str(2**63 - 1)),
    (f"{TFS}MAX_BATCH_SIZE", "nan", ONE, "64"),
    (f"{TFS}BATCH_TIMEOUT_MICROS", "1.5", "a whole number of at least 0", "0"),
    (f"{TFS}BATCH_TIMEOUT_MICROS", "-1", "a whole number of at least 0", "1000"),
    (f"{TFS}NUM_BATCH_THREADS", "four", ONE, "4"),
    (f"{TFS}MAX_ENQUEUED_BATCHES", "0", ONE, "100"),
    (f"{TFS}INSTANCE_COUNT", "0", ONE, "1"),
    (f"{TFS}INSTANCE_COUNT", str(2**31), ONE, "2"),
    (f"{TFS}INTER_OP_PARALLELISM", "auto", "a whole number of at least 0", "0"),
    (f"{TFS}INTRA_OP_PARALLELISM", " 4", "a whole number of at least 0", "4"),
    (f"{TFS}FRACTIONAL_GPU_MEM_MARGIN", "1.5", "a number from 0 to 1", "1"),
    (f"{TFS}FRACTIONAL_GPU_MEM_MARGIN", "20%", "a number from 0 to 1", ".2"),
    (f"{TFS}FRACTIONAL_GPU_MEM_MARGIN", "inf", "a number from 0 to 1", "2e-1"),
    (f"{TFS}WAIT_TIME_SECONDS", "5m", ONE, "300"),
    (f"{TFS}NGINX_LOGLEVEL", "warning", "debug, info, notice, warn, error", "warn"),
    ("SAGEMAKER_NGINX_PROXY_READ_TIMEOUT_SECONDS", "60s", ONE, "60"),
    (f"{GUNICORN}WORKERS", "auto", ONE, "2"),
    (f"{GUNICORN}THREADS", "0", ONE, "1"),
    (f"{GUNICORN}TIMEOUT_SECONDS", "30s", ONE, "30"),
    (f"{GUNICORN}LOGLEVEL", "verbose", "debug, info, warning, error or critical", "DEBUG"),
    (f"{GUNICORN}WORKER_CLASS", "threads", "sync, gevent", "gthread"),
    (f"{GUNICORN}WORKER_CLASS", "process", "sync, gevent", "my.workers.Fast"),
    ("SAGEMAKER_BIND_TO_PORT", "65536", "a whole number from 1 to 65535", "65535"),
    ("SAGEMAKER_SAFE_PORT_RANGE", "9000-70000", "two ports between 1024", "9000-9999"),
    ("SAGEMAKER_MULTI_MODEL", "no", FLAG, "false"),
]
TOOLKIT: list[tuple[str, str, str, str]] = [
    ("SAGEMAKER_MODEL_SERVER_WORKERS", "auto", ONE, "4"),
    ("SAGEMAKER_MODEL_SERVER_TIMEOUT", "60s", ONE, "60"),
    ("SAGEMAKER_TS_BATCH_SIZE", "0", ONE, "8"),
    ("SAGEMAKER_TS_MAX_BATCH_DELAY", "-1", "a whole number of at least 0", "100"),
    ("SAGEMAKER_TS_RESPONSE_TIMEOUT", "soon", ONE, "60"),
    ("TS_DEFAULT_WORKERS_PER_MODEL", "1.5", "a whole number of at least 0", "0"),
    ("TS_JOB_QUEUE_SIZE", "1_000", ONE, "1000"),
    ("TS_MAX_REQUEST_SIZE", "6MB", ONE, "6000000"),
    ("TS_MAX_RESPONSE_SIZE", str(2**31), ONE, str(2**31 - 1)),
    ("TS_ASYNC_LOGGING", "on", FLAG, "true"),
    ("MMS_DEFAULT_RESPONSE_TIMEOUT", "", ONE, "60"),
    ("MMS_NUMBER_OF_NETTY_THREADS", "-1", "a whole number of at least 0", "2"),
]


def _variable(
    model: Change, beside: dict[str, str], name: str, wrong: str, said: str, right: str
) -> tuple[str, Change, str, Change]:
    environment = (*DIGITS, "environment")
    return (
        "container-variable",
        {**model, environment: {**beside, name: wrong}},
        f"{name} is {wrong!r}; it must be {said}",
        {**model, environment: {**beside, name: right}},
    )


ENVIRONMENTS: list[tuple[str, Change, str, Change]] = [
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
        "variable-set-twice",
        {(*DIGITS, "environment"): {ON: "false"}},
        f"{ON} is set here and by batching.enabled",
        {(*DIGITS, "batching"): None, (*DIGITS, "environment"): {ON: "false"}},
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
        "container-multi-model",
        {(*DIGITS, "environment"): {"SAGEMAKER_MULTI_MODEL": "True"}},
        "and this is no multi-model endpoint",
        {(*DIGITS, "environment"): {"SAGEMAKER_MULTI_MODEL": "false"}},
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
    *(_variable({(*DIGITS, "batching"): None}, {ON: "true"}, *each) for each in VARIABLES),
    *(_variable(PYTORCH, {}, *each) for each in TOOLKIT),
    (
        "container-variable",
        {(*DIGITS, "batch_transform", "environment"): {f"{TFS}MAX_ENQUEUED_BATCHES": "many"}},
        f"{TFS}MAX_ENQUEUED_BATCHES is 'many'; it must be a whole number of at least 1",
        {(*DIGITS, "batch_transform", "environment"): {f"{TFS}MAX_ENQUEUED_BATCHES": "64"}},
    ),
    (  # an image of one's own is taken for one of AWS's
        "container-variable",
        {**OWN_IMAGE, (*DIGITS, "environment"): {f"{TFS}INSTANCE_COUNT": "two"}},
        "it must be a whole number of at least 1",
        {**OWN_IMAGE, (*DIGITS, "environment"): {f"{TFS}INSTANCE_COUNT": "2"}},
    ),
    (
        "container-variable-order",
        {**PYTORCH, (*DIGITS, "environment"): {"SAGEMAKER_TS_MIN_WORKERS": "2"}},
        "SAGEMAKER_TS_MIN_WORKERS is 2 and SAGEMAKER_TS_MAX_WORKERS is 1; the fewest are not",
        {
            **PYTORCH,
            (*DIGITS, "environment"): {
                "SAGEMAKER_TS_MIN_WORKERS": "2",
                "SAGEMAKER_TS_MAX_WORKERS": "2",
            },
        },
    ),
    (
        "container-variable-unknown",
        {(*DIGITS, "environment"): {f"{TFS}INSTANCES_COUNT": "2"}},
        f"no container of AWS's reads {TFS}INSTANCES_COUNT; did you mean {TFS}INSTANCE_COUNT",
        {(*DIGITS, "environment"): {f"{TFS}INSTANCE_COUNT": "2", "MY_SAGEMAKER_TFS_X": "2"}},
    ),
    (
        "server-ranges",
        {(*DIGITS, "server"): {"instance_count": 2**31}},
        "instance_count is 2147483648; it must be at most 2147483647",
        {(*DIGITS, "server"): {"instance_count": 2}},
    ),
    (
        "batching-ranges",
        {(*DIGITS, "batching"): {"max_batch_size": 2**63}},
        "max_batch_size is 9223372036854775808; it must be at most 9223372036854775807",
        {(*DIGITS, "batching"): {"max_batch_size": 2**31}},
    ),
    (
        "artifact-default-model",
        {(*DIGITS, "server"): {"default_model_name": "digts"}},
        "default_model_name is 'digts'; the archive holds digits; use digits",
        {(*DIGITS, "server"): {"default_model_name": "digits"}},
    ),
    (
        "artifact-default-model",
        {(*DIGITS, "batch_transform", "environment"): {f"{TFS}DEFAULT_MODEL_NAME": "mnist"}},
        "the archive holds digits",
        {(*DIGITS, "batch_transform", "environment"): {f"{TFS}DEFAULT_MODEL_NAME": "digits"}},
    ),
    (
        "container-environment",
        {(*DIGITS, "environment"): {"MY-KEY": "1"}},
        "a name in environment is 'MY-KEY'; it must be of letters, digits and underscores",
        {(*DIGITS, "environment"): {"MY_KEY": "1"}},
    ),
    (
        "transform-environment",
        {(*DIGITS, "batch_transform", "environment"): {f"K{n}": "" for n in range(17)}},
        "environment has 17 entries; it takes at most 16",
        {(*DIGITS, "batch_transform", "environment"): {f"K{n}": "" for n in range(16)}},
    ),
]
