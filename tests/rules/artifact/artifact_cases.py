"""Models that a rule names, each with the nearest one that it lets pass."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sagemaker_serving.archive.fingerprint import hash_of
from tests.models import (
    add,
    archive,
    fingerprint,
    frozen_graph,
    one_member,
    saved_model,
    variables,
)

MODEL = "digits/1/saved_model.pb"
SCRIPT = "code/inference.py"
GOOD = b"def handler(data, context):\n    return data, 'text/plain'\n"


@dataclass(frozen=True)
class Model:
    """What lies on disk, a folder's files or an archive's bytes, and what the file says of it.

    ``container`` are fields of the model, ``variant`` of its variant.
    """

    content: Mapping[str, bytes] | bytes | None
    container: Mapping[str, Any] = field(default_factory=dict)
    variant: Mapping[str, Any] = field(default_factory=dict)


RIGHT = Model({MODEL: saved_model()})
RIGHT_ARCHIVE = Model(archive({MODEL: saved_model()}))


def script(source: str, **files: bytes) -> Model:
    return Model({MODEL: saved_model(), SCRIPT: source.encode(), **files})


def pytorch(source: str, files: Mapping[str, bytes] | None = None) -> Model:
    return Model(
        {SCRIPT: source.encode(), **({"model.pth": b""} if files is None else files)},
        {"framework": "pytorch", "framework_version": "2.0"},
    )


def compiled(
    to_framework: str,
    *names: str,
    device: str = "ml_c5",
    content: Mapping[str, bytes] | None = None,
    **more: Any,
) -> Model:
    return Model(
        {**dict.fromkeys(names, b""), **(content or {})},
        {"framework": to_framework},
        {"compile": {"target_device": device, **more}},
    )


def shaped(config: Any, shape: tuple[int | None, ...] = (None, 8, 8, 1), **more: Any) -> Model:
    """A SavedModel that takes images of this shape, compiled with this data_input_config."""
    given = {} if config is None else {"data_input_config": config}
    model = saved_model({"images": ("float32", shape)})
    return compiled("tensorflow", device="ml_m5", content={MODEL: model}, **given, **more)


def isolated(files: Mapping[str, bytes]) -> Model:
    return Model({MODEL: saved_model(), SCRIPT: GOOD, **files}, {"network_isolation": True})


def batched(inputs: Mapping[str, Any], size: int) -> Model:
    return Model({MODEL: saved_model(inputs)}, {"batching": {"max_batch_size": size}})


def twice() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        add(tar, MODEL, b"one")
        add(tar, f"./{MODEL}", b"two")
    return packed.getvalue()


def zipped() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr(MODEL, saved_model())
    return packed.getvalue()


def latin_1() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(
        fileobj=packed, mode="w:gz", encoding="latin-1", format=tarfile.GNU_FORMAT
    ) as tar:
        add(tar, MODEL, saved_model())
        add(tar, "caf\xe9.txt")
    return packed.getvalue()


def torch_file(*names: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for name in names:
            file.writestr(f"model/{name}", b"x")
    return packed.getvalue()


BOMB = Model(archive({MODEL: saved_model(), "zeros": bytes(80 << 20)}))
TWO = {"a/1/saved_model.pb": saved_model(), "b/1/saved_model.pb": saved_model()}
TRACED = torch_file("data.pkl", "code/__torch__.py", "constants.pkl")
CHOICE = {"a": ("Placeholder", ()), "b": ("Placeholder", ()), "sum": ("Add", ("a", "b"))}
DEFAULT = "SAGEMAKER_TFS_DEFAULT_MODEL_NAME"
VARIABLES = variables("digits/1")
INDEX, SHARD = sorted(VARIABLES, reverse=True)
PRINT = "digits/1/fingerprint.pb"
WHOLE, WHOLE_INDEX = hash_of(saved_model()), hash_of(VARIABLES[INDEX])

CASES: list[tuple[str, Model, str, Model]] = [
    # rule, the wrong model, what is said, the nearest right one
    (
        "artifact-damaged",
        Model({MODEL: saved_model(), **VARIABLES, SHARD: b"\1" + VARIABLES[SHARD][1:]}),
        f"{SHARD} is damaged: the bytes of 'a' do not have the checksum in variables.index; export "
        "or copy the model anew",
        Model({MODEL: saved_model(), **VARIABLES}),
    ),
    (
        "artifact-damaged",
        Model({MODEL: saved_model(), PRINT: fingerprint(1)}),
        f"{MODEL} is damaged: it is not what fingerprint.pb says was written (saved_model_checksum "
        "1); export or copy the model anew; if it was changed on purpose, delete its "
        "fingerprint.pb",
        Model({MODEL: saved_model(), PRINT: fingerprint(1, producer=0)}),
    ),
    (
        "artifact-damaged",
        Model({MODEL: saved_model().replace(b"n0:0", b"n1:0")}),
        f"{MODEL} is damaged: signature 'serving_default' names 'n1:0', which is not there",
        Model({MODEL: saved_model()}),
    ),
    (
        "artifact-fingerprint",
        Model({MODEL: saved_model(), **VARIABLES, PRINT: fingerprint(WHOLE, 1)}),
        f"{INDEX}: it is not the one that fingerprint.pb was written with (checkpoint_hash 1); if "
        "the weights were replaced on purpose, delete fingerprint.pb",
        Model({MODEL: saved_model(), **VARIABLES, PRINT: fingerprint(WHOLE, WHOLE_INDEX)}),
    ),
    ("artifact-readable", Model(None), "there is nothing at", RIGHT),
    (
        "artifact-readable",
        Model({"graph.pb": frozen_graph(CHOICE)}, {"artifact": "model/graph.pb"}),
        "graph.pb is a frozen graph with 2 possible inputs: a, b; say which: sagemaker-serving",
        Model({"graph.pb": frozen_graph()}, {"artifact": "model/graph.pb"}),
    ),
    ("archive-format", Model(b"I am a text\n"), "is a text file, not a gzipped tar", RIGHT_ARCHIVE),
    ("archive-format", Model(b""), "is empty, not a gzipped tar", RIGHT_ARCHIVE),
    ("archive-zip", Model(zipped()), "is a zip file, not a gzipped tar", RIGHT_ARCHIVE),
    (
        "archive-damaged",
        Model(archive({MODEL: saved_model()})[:-20]),
        "is not a whole gzipped tar",
        RIGHT_ARCHIVE,
    ),
    (
        "archive-damaged",
        Model(gzip.compress(b"no tar" * 200)),
        "is not a whole gzipped tar (a header in it is wrong",
        RIGHT_ARCHIVE,
    ),
    (
        "archive-absolute-path",
        Model(one_member("/etc/passwd")),
        "'/etc/passwd' in the archive is an absolute path",
        Model(one_member("etc/passwd")),
    ),
    (
        "archive-outside-path",
        Model(one_member("a/../../b")),
        "'a/../../b' in the archive leads out of it",
        Model(one_member("a/..b")),
    ),
    (
        "archive-outside-link",
        Model(one_member("a/link", tarfile.SYMTYPE, "../../b")),
        "'a/link' in the archive is a link out of it, to '../../b'",
        Model(one_member("a/link", tarfile.SYMTYPE, "../b")),
    ),
    (
        "archive-special-file",
        Model(one_member("pipe", tarfile.FIFOTYPE)),
        "'pipe' in the archive is a FIFO",
        Model(one_member("pipe")),
    ),
    ("archive-duplicate", Model(twice()), f"'{MODEL}' is in the archive twice", RIGHT_ARCHIVE),
    ("archive-name", Model(latin_1()), "in the archive is not UTF-8", Model(one_member("café"))),
    (
        "archive-bomb",
        BOMB,
        "unpacks to more than 250 times its size",
        Model(archive({MODEL: saved_model(), "zeros": bytes(40 << 20)})),
    ),
    (
        "artifact-given",
        Model({MODEL: saved_model()}, {"artifact": None}),
        "artifact is missing",
        RIGHT,
    ),
    (
        "artifact-saved-model",
        Model({"digits/v1/saved_model.pb": saved_model()}),
        "there is one in digits/v1/, whose name is not all digits; rename digits/v1/",
        RIGHT,
    ),
    (
        "artifact-saved-model",
        Model({SCRIPT: GOOD}),
        "put the SavedModel there, for example as mymodel/1/saved_model.pb",
        Model({SCRIPT: GOOD, "1/saved_model.pb": saved_model()}),
    ),
    (
        "artifact-frozen-graph",
        Model({"frozen.pb": frozen_graph()}),
        "frozen.pb is a frozen graph, which TensorFlow Serving does not load",
        Model({"frozen.pb": frozen_graph(), MODEL: saved_model()}),
    ),
    (
        "artifact-version-folder",
        Model({MODEL: saved_model(), "digits/v2/saved_model.pb": saved_model()}),
        "the SavedModel in digits/v2/ would never be loaded",
        Model({MODEL: saved_model(), "digits/2/saved_model.pb": saved_model()}),
    ),
    ("artifact-saved-model-readable", Model({MODEL: b""}), "is no SavedModel", RIGHT),
    (
        "artifact-saved-model-readable",
        Model({MODEL: saved_model(tags=("train",))}),
        "is tagged train, and TensorFlow Serving loads 'serve'",
        Model({MODEL: saved_model(tags=("train", "serve"))}),
    ),
    (
        "artifact-variables",
        Model({MODEL: saved_model(ops=("VarHandleOp",))}),
        "has variables and there is no digits/1/variables/variables.index",
        Model({MODEL: saved_model(ops=("VarHandleOp",)), **VARIABLES}),
    ),
    (
        "artifact-variables",
        Model({MODEL: saved_model(), "digits/1/variables/variables.index": b""}),
        "digits/1/variables/variables.index has no variables.data-* beside it",
        Model({MODEL: saved_model(), **VARIABLES}),
    ),
    (
        "artifact-links",
        Model(one_member("again", tarfile.SYMTYPE, MODEL)),
        "again is a link, which SageMaker does not unpack",
        Model(one_member("again")),
    ),
    (
        "artifact-several-models",
        Model(TWO),
        "there are 2 models (a, b) and none is the default",
        Model(TWO, {"environment": {DEFAULT: "b"}}),
    ),
    (
        "artifact-default-model",
        Model(TWO, {"environment": {DEFAULT: "c"}}),
        f"{DEFAULT} is 'c'; the archive holds a, b",
        Model(TWO, {"environment": {DEFAULT: "b"}}),
    ),
    (
        "artifact-pytorch-file",
        pytorch("def predict_fn(data, model): ...", {"a.pth": b"", "b.pth": b""}),
        "there are 2 .pt or .pth files at its top and no model_fn",
        pytorch("def model_fn(model_dir): ...", {"a.pth": b"", "b.pth": b""}),
    ),
    (
        "artifact-pytorch-file",
        pytorch("def predict_fn(data, model): ...", {"a.pth": b"\x80\x02 weights"}),
        "a.pth is not TorchScript and there is no model_fn",
        pytorch("def predict_fn(data, model): ...", {"a.pth": TRACED, "code/b.pth": b""}),
    ),
    (
        "artifact-pytorch-file",
        pytorch("def predict_fn(data, model): ...", {"model.pth": TRACED, "a.pth": TRACED}),
        "there are 2 .pt or .pth files at its top",
        pytorch("def predict_fn(data, model): ...", {"model.pt": TRACED, "a.pth": TRACED}),
    ),
    (
        "artifact-memory",
        Model(RIGHT.content, {}, {"instance_type": "ml.t2.medium", "sparse": 5 << 30}),
        "'ml.t2.medium' with 4 GiB of memory; the model has 5.4 GB unpacked",
        Model(RIGHT.content, {}, {"instance_type": "ml.t2.large", "sparse": 5 << 30}),
    ),
    (
        "artifact-disk",
        Model(RIGHT.content, {}, {"volume_size_in_gb": 5, "sparse": 5 << 30}),
        "has 5 GB; the archive and the unpacked model need 5.4 GB; use a larger volume",
        Model(RIGHT.content, {}, {"volume_size_in_gb": 6, "sparse": 5 << 30}),
    ),
    (
        "artifact-s3-uri",
        Model(None, {"artifact": {"s3": "s3://bucket/key.zip", "sha256": "0"}}),
        "SageMaker loads one archive: s3://<bucket>/<key>.tar.gz",
        Model(None, {"artifact": {"s3": "s3://bucket/key.tar.gz", "sha256": "0"}}),
    ),
    (
        "artifact-s3-uri",
        Model(None, {"artifact": {"s3": "https://example.com/b/key.tar.gz", "sha256": "0"}}),
        "SageMaker loads one archive: s3://<bucket>/<key>.tar.gz",
        Model(None, {"artifact": {"s3": "https://s3.amazonaws.com/bkt/key.tar.gz", "sha256": "0"}}),
    ),
    (
        "artifact-pinned",
        Model(None, {"artifact": "s3://bucket/key.tar.gz"}),
        "without sha256 or version_id; when the object changes, nothing is deployed",
        Model(None, {"artifact": {"s3": "s3://bucket/key.tar.gz", "version_id": "0"}}),
    ),
    (
        "batching-signature",
        batched({"x": ("float32", (1, 8))}, 16),
        "batching is on with max_batch_size 16, and input 'x' of signature 'serving_default' in "
        "digits/1/saved_model.pb takes exactly 1 at a time",
        batched({"x": ("float32", (None, 8))}, 16),
    ),
    (
        "batching-signature",
        batched({"x": ("float32", (15,))}, 16),
        "takes exactly 15 at a time",
        batched({"x": ("float32", (16,)), "y": ("string", ()), "z": ("int32", None)}, 16),
    ),
    (
        "handler-parses",
        script("def handler(data, context:\n"),
        "code/inference.py line 1 does not parse",
        script("def handler(data, context): ..."),
    ),
    (
        "handler-functions",
        script("def input_handler(data, context): ..."),
        "defines none of what the TensorFlow Serving container calls: handler or input_handler + "
        "output_handler (its functions: input_handler)",
        script("from lib import output_handler\ndef input_handler(data, context): ..."),
    ),
    (
        "handler-functions",
        pytorch("def handler(data, context): ..."),
        "calls: model_fn or input_fn or predict_fn or output_fn or transform_fn",
        pytorch("def predict_fn(data, model): ..."),
    ),
    (
        "handler-functions",
        compiled("onnx", "a.onnx", content={SCRIPT: b"def model_fn(model_dir): ..."}),
        "the Neo container calls: neo_preprocess + neo_postprocess",
        compiled(
            "onnx",
            "a.onnx",
            content={SCRIPT: b"def neo_preprocess(a, b): ...\ndef neo_postprocess(a): ..."},
        ),
    ),
    (
        "handler-functions",
        compiled("pytorch", device="ml_inf1", content={SCRIPT: b"def predict_fn(a, b): ..."}),
        "the Neo container calls: neo_preprocess + neo_postprocess",
        compiled("pytorch", device="ml_c5", content={SCRIPT: b"def predict_fn(a, b): ..."}),
    ),
    (
        "handler-transform-alone",
        pytorch("def transform_fn(m, d, c, a): ...\ndef input_fn(d, c): ..."),
        "defines transform_fn and input_fn; the container refuses both together",
        pytorch("def transform_fn(m, d, c, a): ...\ndef model_fn(d): ..."),
    ),
    (
        "handler-arguments",
        script("def handler(data): ..."),
        "code/inference.py:1 handler cannot be called with 2 arguments, as the TensorFlow Serving "
        "container does; write def handler(data, context):",
        script("def handler(data, *rest): ..."),
    ),
    (
        "handler-arguments",
        pytorch("def model_fn(model_dir, context, more): ..."),
        "model_fn cannot be called with 1 or 2 arguments",
        pytorch("def model_fn(model_dir, context, more=None): ..."),
    ),
    (
        "handler-place",
        Model({MODEL: saved_model(), "inference.py": GOOD}),
        "inference.py would never be called; move it to code/inference.py",
        Model({MODEL: saved_model(), SCRIPT: GOOD}),
    ),
    (
        "handler-imports",
        script("import tensorflow as tf\ndef handler(a, b): ..."),
        "code/inference.py:1 imports tensorflow, which neither the image nor the archive provides; "
        "TensorFlow Serving's image has no tensorflow package",
        script("try:\n  import tensorflow\nexcept ImportError: ...\ndef handler(a, b): ..."),
    ),
    (
        "handler-imports",
        script("import PIL.Image\ndef handler(a, b): ...", **{"code/lib/x.py": b""}),
        "imports PIL, which neither the image nor the archive provides; put pillow in a code/lib/",
        script("import PIL.Image\ndef handler(a, b): ...", **{"code/lib/PIL/Image.py": b""}),
    ),
    (
        "handler-imports",
        script("import numpy, json, requests, helper", **{"code/helper.py": b""}),
        "imports numpy",
        Model(
            {MODEL: saved_model(), SCRIPT: b"import numpy\ndef handler(a, b): ..."},
            {"framework_version": "2.20"},
        ),
    ),
    (
        "handler-imports-unlisted",
        script("import cv2", **{"code/requirements.txt": b"pandas==2.0  # tables\n"}),
        "imports cv2, which neither the image nor the archive provides; list opencv-python",
        script("import cv2", **{"code/requirements.txt": b"opencv_python-headless>=4\n"}),
    ),
    (
        "handler-requirements-ignored",
        script("", **{"code/requirements.txt": b"x\n", "code/lib/x.py": b""}),
        "code/requirements.txt is ignored because there is a code/lib/",
        script("", **{"code/requirements.txt": b"# x\n", "code/lib/x.py": b""}),
    ),
    (
        "handler-requirements-isolated",
        isolated({"code/requirements.txt": b"x\n"}),
        "has a code/requirements.txt, which an isolated container cannot install",
        isolated({"code/requirements.txt": b"x\n", "code/lib/x.py": b""}),
    ),
    (
        "neo-files",
        compiled("onnx", "a.onnx", "b.onnx"),
        "Neo compiles onnx from exactly one .onnx file and there are 2 (a.onnx, b.onnx)",
        compiled("onnx", "a.onnx"),
    ),
    (
        "neo-files",
        compiled("tensorflow", "a.pb", "b.pb"),
        "exactly one .pb or .pbtxt file and there are 2",
        compiled("tensorflow", "saved_model.pb", "fingerprint.pb", "variables/x.pb"),
    ),
    (
        "neo-files",
        compiled("mxnet", "m-symbol.json"),
        "exactly one .params file and there are 0; put it in",
        compiled("mxnet", "m-symbol.json", "m-0000.params"),
    ),
    ("neo-files", compiled("keras", "a.keras"), "exactly one .h5 file", compiled("keras", "a.h5")),
    (
        "neo-files",
        compiled("xgboost", "readme.md"),
        "exactly one model file",
        compiled("xgboost", "xgboost-model"),
    ),
    (
        "neo-files",
        compiled("pytorch", "a.pth", "b.pt"),
        "exactly one .pt or .pth file and there are 2",
        compiled("pytorch", "a.pth", "code/b.pt"),
    ),
    (
        "neo-traced",
        compiled("pytorch", content={"model.pth": torch_file("data.pkl")}),
        "model.pth is not a traced model",
        compiled("pytorch", content={"model.pth": TRACED}),
    ),
    (
        "neo-traced",
        compiled("pytorch", content={"model.pth": b"\x80\x02 a bare pickle"}),
        "model.pth is not a traced model",
        Model({"model.pth": b"\x80\x02 a bare pickle"}, {"framework": "pytorch"}),
    ),
    (
        "neo-shapes",
        shaped({"images": [1, 3, 8, 8]}),
        "data_input_config has images as [1, 3, 8, 8]; the model's signature takes [?, 8, 8, 1]",
        shaped({"images": [1, 8, 8, 1]}),
    ),
    (
        "neo-shapes",
        shaped('{"image": [1, 8, 8, 1]}'),
        "names the input 'image'; the model's signature takes {images: [?, 8, 8, 1]}; did you "
        "mean images",
        shaped('{"images": [4, 8, 8, 1]}'),
    ),
    (
        "neo-shapes",
        shaped({}),
        "data_input_config says nothing of images",
        shaped("{broken"),
    ),
    (
        "neo-batch",
        shaped(None),
        "the model takes {images: [?, 8, 8, 1]}, and Neo compiles for one size of batch; add "
        "batch_size: 1",
        shaped(None, batch_size=1),
    ),
    (
        "neo-batch",
        shaped(None, (None, None, 8, 1), batch_size=1),
        "Neo compiles for fixed shapes; add data_input_config",
        shaped({"images": [1, 8, 8, 1]}, (None, None, 8, 1)),
    ),
    (
        "neo-input-config",
        compiled("keras", "a.h5"),
        "data_input_config is missing; Neo needs the inputs' shapes of KERAS",
        shaped(None, (2, 8, 8, 1)),
    ),
    (
        "neo-script",
        compiled("pytorch", content={"model.pth": TRACED}),
        "it has no code/inference.py, and the image that serves compiled PYTORCH calls its "
        "functions; add one that defines input_fn, predict_fn and output_fn, or transform_fn",
        compiled("pytorch", content={"model.pth": TRACED, SCRIPT: b"def predict_fn(a, b): ..."}),
    ),
    (
        "neo-script",
        compiled("tensorflow", device="ml_inf1", content={MODEL: saved_model()}),
        "add one that defines neo_preprocess and neo_postprocess",
        compiled("tensorflow", device="ml_c5", content={MODEL: saved_model()}),
    ),
    (
        "neo-archived",
        compiled("tensorflow", device="ml_inf1", content={MODEL: saved_model()}),
        "AWS ended Neuron for TensorFlow with Neuron 2.31, and archived it on 2026-04-30",
        compiled("pytorch", device="ml_inf1", content={"model.pth": TRACED}),
    ),
    (
        "neo-archived",
        compiled("mxnet", device="ml_inf1"),
        "since Neuron 2.19, and archived it on 2026-03-11",
        compiled("mxnet"),
    ),
    (
        "neo-instance",
        compiled("tensorflow"),
        "target_device is 'ml_c5' and the instances are ml.m5.xlarge; compile for ml_m5, or take "
        "an instance type of ml.c5",
        compiled("tensorflow", device="ml_m5"),
    ),
    (
        "neo-hour",
        compiled("tensorflow", device="ml_m5", max_runtime_in_seconds=3601),
        "max_runtime_in_seconds is 3601; a deploy waits at most 3600 seconds",
        compiled("tensorflow", device="ml_m5", max_runtime_in_seconds=3600),
    ),
    (
        "neo-files",
        compiled("tensorflow", "a.onnx", "b.onnx", framework="ONNX"),
        "Neo compiles onnx from exactly one .onnx file and there are 2",
        compiled("tensorflow", "a.onnx", framework="ONNX"),
    ),
    (
        "neo-kind",
        replace(compiled("tensorflow"), container={"multi_model": {}}),
        "compile stands beside multi_model, whose archives the deploy does not bring",
        replace(compiled("tensorflow"), container={"asynchronous": {}}),
    ),
]
