"""Hugging Face's image: its functions around a pipeline, and what it says where none can be."""

from __future__ import annotations

import io
import json
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy
import pytest

from sagemaker_serving.errors import Mistake
from sagemaker_serving.model_server.process import ModelServer
from sagemaker_serving.model_server.programs import Program
from sagemaker_serving.model_server.pytorch import hugging_face
from sagemaker_serving.model_server.pytorch.codecs import UnsupportedFormat
from tests.model_server.servers import log_of_failed_start, running

PIPELINE = """
import numpy

def model_fn(model_dir, context):
    def pipeline(inputs, **parameters):
        if inputs == "fail":
            raise RuntimeError("the pipeline failed")
        return [{"text": inputs, "score": numpy.float32(0.5), **parameters}]
    return pipeline
"""
REQUESTS: list[tuple[str, dict[str, str], int, str]] = [
    ('{"inputs": "é"}', {}, 200, '[{"text":"é","score":0.5}]'),
    ('{"inputs": "a", "parameters": {"k": 2}}', {}, 200, '[{"text":"a","score":0.5,"k":2}]'),
    ('{"a": "b"}', {"Accept": "*/*"}, 200, '[{"text":{"a":"b"},"score":0.5}]'),
    ("inputs\na\nb\n", {"Content-Type": "text/csv", "Accept": "text/csv"}, 200,
     "text,score\r\n\"['a', 'b']\",0.5\r\n"),
    ('{"inputs": "fail"}', {}, 400, "the pipeline failed"),
    ("a,b\n", {"Content-Type": "text/csv"}, 400, "the correct CSV with Header columns"),
    ("{}", {"Content-Type": "a/b"}, 400, "Content type a/b is not supported by this framework."),
    ("{}", {"Accept": "a/b"}, 400, "Content type a/b is not supported by this framework."),
]  # fmt: skip


def ask(server: ModelServer, body: str, headers: dict[str, str]) -> tuple[int, str]:
    connection = server.place.connection(60)
    sent = {"Content-Type": "application/json", **headers}
    connection.request("POST", "/invocations", body.encode(), sent)
    answered = connection.getresponse()
    return answered.status, answered.read().decode()


@pytest.mark.slow
def test_the_images_functions_surround_a_pipeline_of_one_s_own(tmp_path: Path) -> None:
    (tmp_path / "model/code").mkdir(parents=True)
    (tmp_path / "model/code/inference.py").write_text(PIPELINE)
    with running(tmp_path / "model", tmp_path, program=Program.HUGGING_FACE) as server:
        for body, headers, status, wanted in REQUESTS:
            found = ask(server, body, headers)
            if status == 200:
                assert found == (status, wanted)
                continue
            told = json.loads(found[1])
            assert (found[0], told["code"], told["type"]) == (400, 400, "InternalServerException")
            assert wanted in told["message"]


@pytest.mark.slow
@pytest.mark.skipif(find_spec("transformers") is not None, reason="transformers is here")
def test_without_transformers_the_start_fails_and_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model/config.json").write_text('{"architectures": ["BertForMaskedLM"]}')
    log = log_of_failed_start(tmp_path / "model", tmp_path, program=Program.HUGGING_FACE)
    assert "the image has it: pip install" in log


@pytest.mark.slow
@pytest.mark.skipif(find_spec("transformers") is None, reason="transformers is not installed")
def test_a_saved_model_answers_as_its_own_pipeline(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    model = tmp_path / "model"
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "good", "bad"]
    model.mkdir()
    (model / "vocab.txt").write_text("\n".join(words))
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = transformers.BertConfig(vocab_size=len(words), intermediate_size=8, **sizes)
    transformers.BertForSequenceClassification(config).save_pretrained(model)
    transformers.BertTokenizer(str(model / "vocab.txt")).save_pretrained(model)
    own: Any = transformers.pipeline("text-classification", model=str(model), device=-1)
    with running(model, tmp_path, program=Program.HUGGING_FACE) as server:
        status, answer = ask(server, '{"inputs": ["good", "bad bad"]}', {})
    assert status == 200, answer
    for found, wanted in zip(json.loads(answer), own(["good", "bad bad"]), strict=True):
        assert found["label"] == wanted["label"]
        assert found["score"] == pytest.approx(wanted["score"], abs=1e-6)


@pytest.mark.parametrize(
    ("architecture", "task"),
    [
        ("BertForSequenceClassification", "text-classification"),
        ("TapasForQuestionAnswering", "question-answering"),  # the toolkit takes the last that fits
        ("GPT2LMHeadModel", "text-generation"),
    ],
)
def test_the_task_follows_from_the_architecture(
    tmp_path: Path, architecture: str, task: str
) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"architectures": [architecture]}))
    assert hugging_face.task_of(tmp_path) == task


def test_a_model_that_tells_no_task_asks_for_it(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="env 'HF_TASK'"):
        hugging_face.task_of(tmp_path)
    (tmp_path / "config.json").write_text('{"architectures": ["BertModel"]}')
    with pytest.raises(ValueError, match="Use env `HF_TASK` to define your task"):
        hugging_face.task_of(tmp_path)


def test_a_model_of_the_hub_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "HF_MODEL_ID", "bert-base-uncased")
    with pytest.raises(Mistake, match="serves what lies in its archive"):
        hugging_face.model_fn(str(tmp_path))


def test_sounds_are_bytes_and_arrays_stay_arrays() -> None:
    assert hugging_face.input_fn(bytearray(b"RIFF"), "audio/wave") == {"inputs": b"RIFF"}
    content = io.BytesIO()
    numpy.save(content, numpy.eye(2))
    assert hugging_face.input_fn(content.getvalue(), "application/x-npy").tolist() == [
        [1, 0],
        [0, 1],
    ]
    with pytest.raises(UnsupportedFormat):
        hugging_face.input_fn(b"", "image/svg+xml")
