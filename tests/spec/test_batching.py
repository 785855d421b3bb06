from __future__ import annotations

from sagemaker_serving.client import Limits
from sagemaker_serving.spec import Batching, Server, batching_variables, server_variables
from sagemaker_serving.spec.batching import (
    BATCHING_VARIABLES,
    DEFAULT_CONCURRENCY,
    SERVER_VARIABLES,
)


def test_every_batching_field_has_its_variable() -> None:
    assert set(BATCHING_VARIABLES) == set(Batching.model_fields)
    assert set(SERVER_VARIABLES) == set(Server.model_fields)


def test_every_field_arrives_as_the_container_reads_it() -> None:
    assert batching_variables(
        Batching(
            max_batch_size=16,
            batch_timeout_micros=0,
            num_batch_threads=2,
            max_enqueued_batches=64,
        )
    ) == {
        "SAGEMAKER_TFS_ENABLE_BATCHING": "true",
        "SAGEMAKER_TFS_MAX_BATCH_SIZE": "16",
        "SAGEMAKER_TFS_BATCH_TIMEOUT_MICROS": "0",
        "SAGEMAKER_TFS_NUM_BATCH_THREADS": "2",
        "SAGEMAKER_TFS_MAX_ENQUEUED_BATCHES": "64",
    }
    assert server_variables(
        Server(inter_op_parallelism=0, fractional_gpu_mem_margin=0.1, gunicorn_loglevel="debug")
    ) == {
        "SAGEMAKER_TFS_INTER_OP_PARALLELISM": "0",
        "SAGEMAKER_TFS_FRACTIONAL_GPU_MEM_MARGIN": "0.1",
        "SAGEMAKER_GUNICORN_LOGLEVEL": "debug",
    }


def test_without_the_blocks_the_container_keeps_its_defaults() -> None:
    assert batching_variables(None) == server_variables(None) == server_variables(Server()) == {}


def test_batching_lets_eight_of_this_projects_clients_wait_unless_the_container_shall_choose() -> (
    None
):
    waiting = BATCHING_VARIABLES["max_enqueued_batches"]
    assert batching_variables(Batching())[waiting] == str(8 * DEFAULT_CONCURRENCY)
    assert waiting not in batching_variables(Batching(max_enqueued_batches=None))


def test_a_client_sends_as_many_at_a_time_as_the_rules_reckon_with() -> None:
    assert Limits().concurrency == DEFAULT_CONCURRENCY


def test_batching_that_is_off_is_a_switch_and_nothing_more() -> None:
    assert batching_variables(Batching(enabled=False)) == {"SAGEMAKER_TFS_ENABLE_BATCHING": "false"}
