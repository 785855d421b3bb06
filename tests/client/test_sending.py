"""Batches over a real connection: cut, sent at once, in order, tried again, closed."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import numpy
import pytest

from sagemaker_serving.client import EndpointFacts, Limits, Model, Prediction, Predictor, Retries
from sagemaker_serving.client.deserializers import NumpyDeserializer
from sagemaker_serving.errors import Failure, Mistake, ModelFailed
from tests.client.fake_runtime import Answer, Asked, FakeRuntime, fake_runtime, refusal
from tests.models import saved_model

PATIENCE = 60.0
SOON = Retries(base_seconds=0.001, deadline_seconds=PATIENCE)
NPY = ["application/x-npy"]


def sums(asked: Asked) -> Answer:
    """One prediction for each record: its sum."""
    if "tfs-method" in asked.headers.get("X-Amzn-SageMaker-Custom-Attributes", ""):
        return Answer(body=b'{"results": [1.0]}')
    if asked.headers["Content-Type"] == "application/x-npy":
        rows = numpy.load(io.BytesIO(asked.body))
    elif asked.headers["Content-Type"] == "application/json":
        rows = json.loads(asked.body).get("instances", [])
    else:
        return Answer(body=json.dumps(asked.body.decode()).encode())
    predictions = [float(numpy.sum(row)) for row in rows]
    return Answer(body=json.dumps({"predictions": predictions}).encode())


def predictor(runtime: FakeRuntime, **more: Any) -> Predictor:
    return Predictor("e", runtime.aws, **{"facts": EndpointFacts(), "retries": SOON, **more})


@pytest.fixture
def runtime() -> Iterator[FakeRuntime]:
    with fake_runtime(sums) as runtime:
        yield runtime


def test_a_batch_is_one_result_whatever_number_of_requests_it_takes(runtime: FakeRuntime) -> None:
    batch = numpy.arange(1000.0)
    with predictor(runtime, limits=Limits(concurrency=4, records_per_request=7)) as calls:
        assert calls.predict(batch) == {"predictions": batch.tolist()}
    assert len(runtime.asked) == 143
    assert runtime.busiest <= 4


def test_connections_are_kept_and_as_many_as_threads(runtime: FakeRuntime) -> None:
    with predictor(runtime, limits=Limits(concurrency=3, records_per_request=5)) as calls:
        for _ in range(3):
            calls.predict(numpy.arange(100.0))
    assert len(runtime.asked) == 60
    assert len(runtime.connections) <= 3


def test_requests_are_under_way_at_the_same_time_and_come_back_in_order() -> None:
    """The first of four is answered last: they are there together, and yet in order."""
    others, all_there = threading.Semaphore(0), threading.Barrier(4)

    def answer(asked: Asked) -> Answer:
        all_there.wait(PATIENCE)
        if json.loads(asked.body)["instances"] == [0.0]:
            for _ in range(3):
                assert others.acquire(timeout=PATIENCE)
        given = sums(asked)
        others.release()
        return given

    with (
        fake_runtime(answer) as runtime,
        predictor(runtime, limits=Limits(concurrency=4, records_per_request=1)) as calls,
    ):
        assert calls.predict([0.0, 1.0, 2.0, 3.0]) == {"predictions": [0.0, 1.0, 2.0, 3.0]}
    assert runtime.busiest == 4


def test_no_more_bodies_are_made_than_threads_can_send(runtime: FakeRuntime) -> None:
    """Rows are read when their request is made: that bounds the memory."""
    made = 0
    done: list[Prediction] = []

    class Counted:
        def __init__(self, array: Any) -> None:
            self.__array_interface__ = array.__array_interface__
            self.shape, self.dtype, self.tobytes = array.shape, array.dtype, array.tobytes
            self._array = array

        def __getitem__(self, key: Any) -> Any:
            nonlocal made
            made += 1
            assert made <= len(done) + 2 + 1
            return self._array[key]

    with predictor(
        runtime,
        limits=Limits(concurrency=2, records_per_request=1),
        model=Model(content_types=NPY),
        on_prediction=done.append,
    ) as calls:
        calls.predict(Counted(numpy.arange(40.0)))
    assert made == 40


def test_files_get_an_answer_each(runtime: FakeRuntime, tmp_path: Path) -> None:
    paths = [tmp_path / f"{n}.png" for n in range(20)]
    for path in paths:
        path.write_text(path.stem)
    with predictor(runtime) as calls:
        assert calls.predict(paths) == [path.stem for path in paths]
        assert calls.predict(paths[3]) == "3"


def test_endless_items_are_answered_as_they_come(runtime: FakeRuntime) -> None:
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        while True:
            taken += 1
            yield str(taken).encode()

    with predictor(runtime, limits=Limits(concurrency=2)) as calls:
        answers = calls.predict_each(endless())
        assert [next(answers).json() for _ in range(5)] == ["1", "2", "3", "4", "5"]
    assert taken <= 5 + 4 * 2 + 2


def test_timings_of_every_request_are_told(runtime: FakeRuntime) -> None:
    told: list[Prediction] = []
    limits = Limits(records_per_request=4)
    with predictor(runtime, limits=limits, on_prediction=told.append) as calls:
        calls.predict(numpy.arange(10.0))
    assert sorted((one.first, one.records) for one in told) == [(0, 4), (4, 4), (8, 2)]
    for one in told:
        assert one.seconds > 0
        assert one.attempts == 1
        assert one.request_bytes > 0


def test_arrays_are_joined(runtime: FakeRuntime) -> None:
    def halves(asked: Asked) -> Answer:
        file = io.BytesIO()
        numpy.save(file, numpy.load(io.BytesIO(asked.body)) / 2)
        return Answer(body=file.getvalue(), content_type="application/x-npy")

    batch = numpy.arange(20.0).reshape(10, 2)
    with (
        fake_runtime(halves) as runtime,
        predictor(
            runtime,
            limits=Limits(records_per_request=3),
            model=Model(content_types=NPY),
            deserializer=NumpyDeserializer(),
        ) as calls,
    ):
        assert numpy.array_equal(calls.predict(batch), batch / 2)
    assert {asked.headers["Accept"] for asked in runtime.asked} == {"application/x-npy"}


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b'{"predictions": [1.0]}', "records 0 to 1 of 4: the answer has 1 row in 'predictions'"),
        (b"[1, 2, 3]", "records 0 to 1 of 4: the answer has 3 rows for 2 records"),
        (b"[}", "records 0 to 1 of 4: the answer calls itself application/json and is none"),
    ],
)
def test_answers_that_cannot_be_joined_are_no_result(body: bytes, told: str) -> None:
    with (
        fake_runtime(lambda _: Answer(body=body)) as runtime,
        predictor(runtime, limits=Limits(records_per_request=2)) as calls,
        pytest.raises(Failure, match=told),
    ):
        calls.predict([1, 2, 3, 4])


def test_what_is_the_same_in_every_answer_is_kept(runtime: FakeRuntime) -> None:
    def answer(asked: Asked) -> Answer:
        given = json.loads(sums(asked).body)
        return Answer(body=json.dumps({**given, "model": "digits"}).encode())

    one = Limits(records_per_request=1)
    with fake_runtime(answer) as runtime, predictor(runtime, limits=one) as calls:
        assert calls.predict([1, 2]) == {"predictions": [1.0, 2.0], "model": "digits"}


def test_no_request_has_more_records_than_the_container_batches(runtime: FakeRuntime) -> None:
    facts = EndpointFacts(variants=("a", "b"), most_records={"a": 8, "b": 4})
    with predictor(runtime, facts=facts, limits=Limits(records_per_request=6)) as calls:
        calls.predict(list(range(24)))
        calls.predict(list(range(24)), target_variant="a")
    counts = [len(json.loads(asked.body)["instances"]) for asked in runtime.asked]
    assert counts == [4] * 6 + [6] * 4


def test_a_model_of_one_batch_size_gets_no_other(runtime: FakeRuntime, tmp_path: Path) -> None:
    model = tmp_path / "model" / "1" / "saved_model.pb"
    model.parent.mkdir(parents=True)
    model.write_bytes(saved_model({"x": ("float32", (4, 2))}))
    with predictor(runtime, model=Model(artifact=tmp_path / "model")) as calls:
        calls.predict(numpy.zeros((12, 2)))
        with pytest.raises(Mistake, match="takes batches of exactly 4 records, and there are 10"):
            calls.predict(numpy.zeros((10, 2)))
    assert [len(json.loads(asked.body)["instances"]) for asked in runtime.asked] == [4] * 3


def test_an_error_in_the_middle_names_its_records_and_ends_the_batch() -> None:
    log = "https://eu-west-1.console.aws.amazon.com/cloudwatch/home?region=eu-west-1#logEvent"

    def answer(asked: Asked) -> Answer:
        if json.loads(asked.body)["instances"][0] == 4:
            return refusal(
                "ModelError",
                424,
                Message=f"Received server error (500) from primary. See {log} in account 1.",
                OriginalStatusCode=500,
                OriginalMessage="broken",
            )
        return sums(asked)

    with (
        fake_runtime(answer) as runtime,
        predictor(runtime, limits=Limits(concurrency=1, records_per_request=2)) as calls,
        pytest.raises(ModelFailed) as told,
    ):
        calls.predict(list(range(100)))
    assert str(told.value) == (
        f"records 4 to 5 of 100: the model of e answered 500: broken; its log: {log}"
    )
    assert (told.value.status, told.value.body, told.value.log) == (500, "broken", log)
    assert len(runtime.asked) <= 4
    assert [json.loads(a.body)["instances"][0] for a in runtime.asked].count(4) == 1


class Longest(Random):
    """Waits for as long as it may."""

    def uniform(self, a: float, b: float) -> float:
        return b


@pytest.mark.parametrize(
    ("code", "status"),
    [("ModelNotReadyException", 429), ("InternalDependencyException", 530), ("Whatever", 530)],
)
def test_a_model_that_is_not_ready_is_asked_again(code: str, status: int) -> None:
    answers = iter([refusal(code, status)] * 3 + [Answer(body=b'"ready"')])
    retries = Retries(base_seconds=0.02, random=Longest())
    with (
        fake_runtime(lambda _: next(answers)) as runtime,
        predictor(runtime, retries=retries) as calls,
    ):
        prediction = calls.invoke("{}")
    assert prediction.json() == "ready"
    assert prediction.attempts == 4
    assert prediction.waited_seconds >= sum(islice(retries.waits(), 3))
    assert len(runtime.asked) == 4


def test_a_models_own_error_is_never_asked_again() -> None:
    error = refusal("ModelError", 424, OriginalStatusCode=503, OriginalMessage="busy")
    with (
        fake_runtime(lambda _: error) as runtime,
        predictor(runtime) as calls,
        pytest.raises(ModelFailed, match="the model of e answered 503: busy"),
    ):
        calls.invoke("{}")
    assert len(runtime.asked) == 1


FULL = (
    "The batch scheduling queue to which this task was submitted is full; "
    "currently 2 batches enqueued and max_enqueued_batches is 2"
)


def full(status: int = 503) -> Answer:
    """TensorFlow Serving has no room, as SageMaker passes it on."""
    return refusal(
        "ModelError",
        424,
        OriginalStatusCode=status,
        OriginalMessage=json.dumps({"error": FULL}),
    )


def test_a_full_queue_is_waited_for_with_fewer_requests_at_a_time() -> None:
    """The server takes two at a time and refuses the others; none of 60 is lost."""
    room = threading.Semaphore(2)
    told: list[Prediction] = []

    def answer(asked: Asked) -> Answer:
        if not room.acquire(blocking=False):
            return full()
        try:
            return sums(asked)
        finally:
            room.release()

    with (
        fake_runtime(answer) as runtime,
        predictor(
            runtime, limits=Limits(concurrency=8, records_per_request=1), on_prediction=told.append
        ) as calls,
    ):
        batch = [float(n) for n in range(60)]
        assert calls.predict(batch) == {"predictions": batch}
        refusals = calls._sender.pace.refusals
    assert len(runtime.asked) == 60 + refusals
    assert sum(one.attempts for one in told) == 60 + refusals


@pytest.mark.parametrize("status", [500, 503])
def test_a_full_queue_is_asked_again_also_by_way_of_a_handler(status: int) -> None:
    answers = iter([full(status), Answer(body=b'"taken"')])
    with fake_runtime(lambda _: next(answers)) as runtime, predictor(runtime) as calls:
        assert calls.invoke("{}").json() == "taken"
        assert calls._sender.pace.refusals == 1


@pytest.mark.parametrize(
    ("code", "status"), [("ServiceUnavailable", 503), ("ThrottlingException", 400)]
)
def test_sagemakers_own_refusals_are_waited_for_longer_than_boto3_does(
    code: str, status: int
) -> None:
    """boto3 asks three times, and gives up."""
    answers = iter([refusal(code, status)] * 4 + [Answer(body=b'"taken"')])
    with fake_runtime(lambda _: next(answers)) as runtime, predictor(runtime) as calls:
        prediction = calls.invoke("{}")
        assert prediction.json() == "taken"
        assert prediction.attempts == 2
        assert calls._sender.pace.refusals == 1


def test_a_queue_that_stays_full_is_told_with_what_to_do() -> None:
    short = Retries(base_seconds=0.001, cap_seconds=0.001, deadline_seconds=1.0)
    with (
        fake_runtime(lambda _: full()) as runtime,
        predictor(runtime, retries=short) as calls,
        pytest.raises(ModelFailed, match=r"still so after \d+ attempts in 1 s: send fewer") as told,
    ):
        calls.invoke("{}")
    assert told.value.status == 503
    assert len(runtime.asked) > 1
    with (
        fake_runtime(lambda _: full()) as runtime,
        predictor(runtime, retries=Retries(deadline_seconds=0)) as calls,
        pytest.raises(ModelFailed, match=r"the model of e answered 503: .* is 2"),
    ):
        calls.invoke("{}")
    assert len(runtime.asked) == 1


def test_the_deadline_ends_it_with_what_was_met() -> None:
    never = Retries(base_seconds=0.001, deadline_seconds=0)
    with (
        fake_runtime(lambda _: refusal("ModelNotReadyException", 429)) as runtime,
        predictor(runtime, retries=never) as calls,
        pytest.raises(Failure, match=r"e: ModelNotReadyException: .* was said after 1 attempt in"),
    ):
        calls.invoke("{}")


def test_closing_ends_the_wait_of_other_threads() -> None:
    asked = threading.Event()

    def answer(_: Asked) -> Answer:
        asked.set()
        return refusal("ModelNotReadyException", 429)

    told: list[BaseException] = []
    long = Retries(base_seconds=1e6, cap_seconds=1e6, deadline_seconds=1e9)
    with fake_runtime(answer) as runtime:
        calls = predictor(runtime, retries=long)

        def call() -> None:
            try:
                calls.invoke("{}")
            except Failure as error:
                told.append(error)

        thread = threading.Thread(target=call)
        thread.start()
        assert asked.wait(PATIENCE)
        calls.close()
        thread.join(PATIENCE)
    assert ["closed while it waited" in str(error) for error in told] == [True]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"concurrency": 0}, "concurrency is 0; it is at least 1"),
        ({"records_per_request": 0}, "records_per_request is 0; it is at least 1"),
    ],
)
def test_options_that_cannot_work_are_named(options: Any, told: str) -> None:
    with pytest.raises(Mistake, match=told):
        Limits(**options)


@pytest.mark.parametrize("attributes", ["x" * 1025, "ü", "a\nb"])
def test_custom_attributes_that_aws_refuses_are_never_sent(
    runtime: FakeRuntime, attributes: str
) -> None:
    with predictor(runtime) as calls, pytest.raises(Mistake, match="visible ASCII characters"):
        calls.invoke("{}", custom_attributes=attributes)
    assert runtime.asked == []


def test_every_member_of_a_request_arrives(runtime: FakeRuntime) -> None:
    with predictor(runtime, component_name="part", model=Model(name="half", version=7)) as calls:
        calls.predict(
            [1],
            {"EnableExplanations": "`true`"},
            target_model="m.tar.gz",
            target_variant="blue",
            inference_id="id",
            custom_attributes="trace=1",
        )
        calls.classify([{"x": 1.0}])
    prefix = "X-Amzn-SageMaker-"
    sent = runtime.asked[0].headers
    assert {name: value for name, value in sent.items() if name.startswith(prefix)} == {
        f"{prefix}Enable-Explanations": "`true`",
        f"{prefix}Target-Model": "m.tar.gz",
        f"{prefix}Target-Variant": "blue",
        f"{prefix}Inference-Id": "id",
        f"{prefix}Inference-Component": "part",
        f"{prefix}Custom-Attributes": "trace=1,tfs-model-name=half,tfs-model-version=7",
    }
    classified = runtime.asked[1]
    assert classified.body == b'{"examples":[{"x":1.0}]}'
    assert classified.headers[f"{prefix}Custom-Attributes"] == (
        "tfs-method=classify,tfs-model-name=half,tfs-model-version=7"
    )
