"""Environment files with one thing wrong in a model's variants, batching, server or jobs."""

from __future__ import annotations

from tests.rules.changes import BLUE, DIGITS, Change

ENVIRONMENTS: list[tuple[str, Change, str, Change]] = [
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
]
