"""Models for Neo with one thing wrong, what is said of it, and the nearest that is right."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.models import (
    archive,
    frozen_graph,
    saved_model,
)
from tests.rules.artifact.artifacts import MODEL, SCRIPT, TRACED, Model, compiled, torch_file


def shaped(config: Any, shape: tuple[int | None, ...] = (None, 8, 8, 1), **more: Any) -> Model:
    """A SavedModel that takes images of this shape, compiled with this data_input_config."""
    given = {} if config is None else {"data_input_config": config}
    model = saved_model({"images": ("float32", shape)})
    return compiled("tensorflow", device="ml_m5", content={MODEL: model}, **given, **more)


WITH_FINGERPRINT = ("1/fingerprint.pb", "1/saved_model.pb", "1/variables/variables.index")

CASES: list[tuple[str, Model, str, Model]] = [
    (
        "neo-torch-name",  # aws/amazon-sagemaker-examples#986
        compiled("pytorch", content={"model.pt": TRACED}),
        "Neo has refused model.pt with 'No pth file found for PyTorch model'; name it model.pth",
        compiled("pytorch", content={"model.pth": TRACED}),
    ),
    ("neo-files", compiled("tensorflow", "1/saved_model.pb", "1/assets/labels.txt"),
     "1/saved_model.pb has no variables/ with files, and Neo compiles no SavedModel without one",
     compiled("tensorflow", "saved_model.pb", "fingerprint.pb", "variables/variables.index")),
    ("neo-files",
     replace(compiled("tensorflow"), content=archive(dict.fromkeys(WITH_FINGERPRINT, b""))),
     "there are 2 (1/fingerprint.pb, 1/saved_model.pb); pack the model anew with",
     compiled("tensorflow", *WITH_FINGERPRINT)),
    ("neo-files", compiled("mxnet", "m-symbol.json"),
     "exactly one .params file and there are 0; put it in",
     compiled("mxnet", "m-symbol.json", "m-0000.params")),
    ("neo-files", compiled("keras", "a.keras"),
     "exactly one .h5 file and there are 0; load the .keras and save it with that ending",
     compiled("keras", "a.h5")),
    ("neo-files", compiled("xgboost", "readme.md"), "exactly one model file",
     compiled("xgboost", "xgboost-model")),
    ("neo-traced", compiled("pytorch", content={"model.pth": torch_file("data.pkl")}),
     "model.pth is not a traced model", compiled("pytorch", content={"model.pth": TRACED})),
    ("neo-frozen-graph",
     replace(compiled("tensorflow"), content=archive({"graph.pb": frozen_graph()})),
     "which holds a frozen graph; Neo takes it, but TensorFlow's server loads no such result",
     compiled("tensorflow", content={"graph.pb": frozen_graph()}, batch_size=1)),
    ("neo-shapes", shaped({"images": [1, 3, 8, 8]}),
     "data_input_config has images as [1, 3, 8, 8]; the model's signature takes [?, 8, 8, 1]",
     shaped({"images": [1, 8, 8, 1]})),
    ("neo-shapes", shaped('{"image": [1, 8, 8, 1]}'),
     "names the input 'image'; the model's signature takes {images: [?, 8, 8, 1]}; did you mean "
     "images", shaped('{"images": [4, 8, 8, 1]}')),
    ("neo-shapes", shaped({}), "data_input_config says nothing of images", shaped("{broken")),
    ("neo-batch", shaped(None),
     "the model takes {images: [?, 8, 8, 1]}, and Neo compiles for one size of batch; add "
     "batch_size: 1", shaped(None, batch_size=1)),
    ("neo-batch", shaped(None, (None, None, 8, 1), batch_size=1),
     "Neo compiles for fixed shapes; add data_input_config",
     shaped({"images": [1, 8, 8, 1]}, (None, None, 8, 1))),
    ("neo-input-config", compiled("keras", "a.h5"),
     "data_input_config is missing; Neo needs the inputs' shapes of KERAS; add it, such as "
     '{"input": [1, 3, 224, 224]}', shaped(None, (2, 8, 8, 1))),
    ("neo-script", compiled("pytorch", content={"model.pth": TRACED}),
     "it has no code/inference.py, and the image that serves compiled PYTORCH calls its "
     "functions; add one that defines input_fn, predict_fn and output_fn, or transform_fn",
     compiled("pytorch", content={"model.pth": TRACED, SCRIPT: b"def predict_fn(a, b): ..."})),
    ("neo-script", compiled("tensorflow", device="ml_inf1", content={MODEL: saved_model()}),
     "add one that defines neo_preprocess and neo_postprocess",
     compiled("tensorflow", device="ml_c5", content={MODEL: saved_model()})),
    ("neo-frozen", compiled("tensorflow", device="ml_m5"),
     "for ml_m5 Neo compiles TENSORFLOW up to 2.9, and has added none since 2022-10-10; without "
     "compile, AWS's TensorFlow image, which is patched, serves the model",
     Model({MODEL: saved_model()})),
    ("neo-archived", compiled("tensorflow", device="ml_inf1", content={MODEL: saved_model()}),
     "AWS ended Neuron for TensorFlow with Neuron 2.31, and archived it on 2026-04-30",
     compiled("pytorch", device="ml_inf1", content={"model.pth": TRACED})),
    ("neo-archived", compiled("mxnet", device="ml_inf1"),
     "since Neuron 2.19, and archived it on 2026-03-11", compiled("mxnet")),
    ("neo-instance", compiled("tensorflow"),
     "target_device is 'ml_c5' and the instances are ml.m5.xlarge; compile for ml_m5, or take an "
     "instance type of ml.c5", compiled("tensorflow", device="ml_m5")),
    ("neo-hour", compiled("tensorflow", device="ml_m5", max_runtime_in_seconds=3601),
     "max_runtime_in_seconds is 3601; a deploy waits at most 3600 seconds",
     compiled("tensorflow", device="ml_m5", max_runtime_in_seconds=3600)),
    *(
        (
            "neo-accept",
            compiled("tensorflow", device="ml_m5", accept=wrong),
            said,
            compiled("tensorflow", device="ml_m5", accept=right),
        )
        for wrong, said, right in (
            ({}, "accept holds the model to nothing; give max_error, ", {"max_error": 0}),
            ({"max_error": -1}, "max_error is -1; it must be at least 0", {"max_error": 0.001}),
            ({"agreement": 99}, "agreement is 99; it is a share, over 0", {"agreement": 0.99}),
            ({"speedup": 0}, "speedup is 0; it must be over 0", {"speedup": 1.2}),
        )
    ),
    ("neo-accept-by-hand", compiled("tensorflow", device="ml_m5", accept={"speedup": 1.2}),
     "no deploy judges this speedup: it has no original beside it; run `sagemaker-serving",
     compiled("tensorflow", device="ml_m5", accept={"max_error": 0.001})),
    *(
        (
            "neo-accept-golden",
            compiled("tensorflow", device="ml_m5", accept={"max_error": 0.001, **golden}),
            said,
            compiled("tensorflow", device="ml_m5", accept={"speedup": 1.2}),
        )
        for golden, said in (
            ({}, "accept has no golden, and a deploy compares with nothing else; give the file"),
            ({"golden": "not-there.jsonl"}, "golden is 'not-there.jsonl': "),
            ({"golden": "a\0b"}, "which cannot be read: "),
        )
    ),
    ("neo-accept-endpoint",
     compiled("tensorflow", device="ml_m5", accept={"golden": "g.jsonl", "agreement": 1}),
     "the deploy starts a temporary endpoint with one instance of ml.m5.xlarge, sends it the",
     compiled("tensorflow", device="ml_m5", accept={"speedup": 1.2})),
    ("neo-files", compiled("tensorflow", "a.onnx", "b.onnx", framework="ONNX"),
     "Neo compiles onnx from exactly one .onnx file and there are 2",
     compiled("tensorflow", "a.onnx", framework="ONNX")),
    ("neo-kind", replace(compiled("tensorflow"), container={"multi_model": {}}),
     "compile stands beside multi_model, whose archives the deploy does not bring",
     replace(compiled("tensorflow"), container={"asynchronous": {}})),
]  # fmt: skip
