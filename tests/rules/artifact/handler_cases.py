"""Inference scripts with one thing wrong, what is said of it, and the nearest that is right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.models import (
    saved_model,
)
from tests.rules.artifact.artifacts import GOOD, MODEL, SCRIPT, Model, compiled, pytorch


def script(source: str, **files: bytes) -> Model:
    return Model({MODEL: saved_model(), SCRIPT: source.encode(), **files})


def old_pytorch(version: str, environment: Mapping[str, str] | None = None, *files: str) -> Model:
    source = b"def model_fn(model_dir): ..."
    return Model(
        {"model.pth": b"", SCRIPT: source, **dict.fromkeys(files, b"requests")},
        {"framework": "pytorch", "framework_version": version, "environment": environment or {}},
    )


def isolated(files: Mapping[str, bytes]) -> Model:
    return Model({MODEL: saved_model(), SCRIPT: GOOD, **files}, {"network_isolation": True})


def private(files: Mapping[str, bytes]) -> Model:
    content = {MODEL: saved_model(), SCRIPT: GOOD, **files}
    return Model(content, {}, {}, {"network": {"cidr": "10.0.0.0/16"}})


def huggingface(source: str) -> Model:
    named = {"framework": "huggingface", "framework_version": "4.49"}
    return Model({SCRIPT: source.encode(), "config.json": b"{}", "model.safetensors": b""}, named)


def named(program: str, files: Mapping[str, bytes]) -> Model:
    given = {"environment": {"SAGEMAKER_PROGRAM": program}}
    return Model(files, {"framework": "pytorch", "framework_version": "2.6", **given})


REPOSITORY = "arn:aws:codeartifact:eu-west-1:111122223333:repository/team/python"


def packages(arn: str) -> Model:
    pytorch = {"framework": "pytorch", "framework_version": "2.6"}
    return Model({"model.pth": b""}, {**pytorch, "environment": {"CA_REPOSITORY_ARN": arn}})


def batched(inputs: Mapping[str, Any], size: int) -> Model:
    return Model({MODEL: saved_model(inputs)}, {"batching": {"max_batch_size": size}})


BOTH = {
    "SAGEMAKER_PROGRAM": "inference.py",
    "SAGEMAKER_SUBMIT_DIRECTORY": "/opt/ml/model/code",
}
LOADS = b"def model_fn(model_dir): ..."
SHARDS = ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")
UNPACKED = {"HF_MODEL_ID": "/opt/ml/model"}


def of(framework: str, version: str, *names: str, **given: Any) -> Model:
    """A model of empty files, and of a script where ``script`` is given."""
    source = given.pop("script", None)
    scripts = {} if source is None else {SCRIPT: source}
    named = {"framework": framework, "framework_version": version}
    return Model({**dict.fromkeys(names, b"x"), **scripts}, {**named, **given})


def pretrained(*names: str, script: bytes | None = None, **environment: str) -> Model:
    files = names or ("config.json", "model.safetensors", "tokenizer.json")
    return of("huggingface", "4.49", *files, script=script, environment=environment)


def many(framework: str, version: str, files: Mapping[str, bytes]) -> Model:
    content = {"1/saved_model.pb": saved_model(), **files}
    model = {"framework": framework, "framework_version": version}
    environment = {"SAGEMAKER_SAFE_PORT_RANGE": "9000-9999", "TS_ENABLE_MODEL_API": "true"}
    multi = {"artifact": None, "multi_model": {"archives": {"many": "model"}}}
    return Model(content, {**model, **multi, "environment": environment})


CONTAINERS: list[tuple[str, Model, str, Model]] = [
    (
        "handler-arguments",  # toolkit before 2.3.0: no context
        of("huggingface", "4.17", "config.json", script=b"def model_fn(model_dir, context): ..."),
        "model_fn cannot be called with 1 argument, as the container does",
        of("huggingface", "4.17", "config.json", script=LOADS),
    ),
    ("handler-required", of("sklearn", "1.2-1", "model.joblib", environment=BOTH),
     "there is no code/inference.py, and the container loads no model without it; add it",
     of("sklearn", "1.2-1", "model.joblib", script=LOADS, environment=BOTH)),
    ("handler-required",
     of("xgboost", "1.7-1", "m", script=b"def predict_fn(data, model): ...", environment=BOTH),
     "code/inference.py defines no model_fn, and the container has none of its own",
     of("xgboost", "1.7-1", "m", script=LOADS, environment=BOTH)),
    (
        "handler-named",  # aws/sagemaker-scikit-learn-container#77
        of("sklearn", "1.2-1", "model.joblib", script=LOADS),
        "framework is 'sklearn', whose image finds its script by variables alone; add environment: "
        "{SAGEMAKER_PROGRAM: inference.py, SAGEMAKER_SUBMIT_DIRECTORY: /opt/ml/model/code}",
        of("sklearn", "1.2-1", "model.joblib", script=LOADS, environment=BOTH),
    ),
    (
        "artifact-xgboost-files",  # aws/sagemaker-xgboost-container#341
        of("xgboost", "1.7-1", "model/xgboost-model"),
        "there is no file at its top, where XGBoost's image loads each as a model; move "
        "model/xgboost-model there",
        of("xgboost", "1.7-1", "xgboost-model"),
    ),
    ("artifact-xgboost-files", of("xgboost", "1.7-1", "1/saved_model.pb"),
     "it holds a model of tensorflow, which XGBoost's image does not load; give the framework",
     of("xgboost", "1.7-1", "model.joblib")),
    ("artifact-xgboost-files", of("xgboost", "1.7-1", "xgboost-model", "README.md"),
     "loads each file at the top as a model, and README.md is none",
     of("xgboost", "1.7-1", "xgboost-model", ".README.md", "docs/README.md")),
    ("artifact-xgboost-files", of("xgboost", "1.7-1", "xgboost-model", script=LOADS),
     "runs its own algorithm, and code/inference.py would never be called",
     of("xgboost", "1.7-1", "xgboost-model", script=LOADS, environment=BOTH)),
    (
        "artifact-huggingface-files",  # aws/sagemaker-huggingface-inference-toolkit#9
        pretrained("bert/config.json", "bert/model.safetensors", "bert/vocab.txt"),
        "there is no config.json at its top, and no model_fn: 'You need to define one of the "
        "following … as env HF_TASK'; save_pretrained() writes what is needed; move the files of "
        "bert/ there",
        pretrained(),
    ),
    ("artifact-huggingface-files", pretrained("config.json", *SHARDS),
     "config.json has no tokenizer or processor beside it, and there is no model_fn",
     pretrained(*SHARDS, "config.json", script=LOADS)),
    ("artifact-shards", pretrained("config.json", "tokenizer.json", SHARDS[1]),
     "there is no model-00001-of-00002.safetensors; add what is missing",
     pretrained("config.json", "tokenizer.json", *SHARDS)),
    ("artifact-llm-config",
     of("huggingface-llm", "3.3.6", "llama/config.json", environment=UNPACKED),
     "there is no config.json at its top, where the server looks for it; move the files of llama/ "
     "there, or write HF_MODEL_ID: /opt/ml/model/llama",
     of("huggingface-llm", "3.3.6", "config.json", environment=UNPACKED)),
    ("model-id-archive", of("huggingface-llm", "3.3.6", "config.json"),
     "HF_MODEL_ID is missing, without which the container ends as it starts; write HF_MODEL_ID: "
     "/opt/ml/model", of("huggingface-llm", "3.3.6", "config.json", environment=UNPACKED)),
    ("artifact-code-of-hub", pretrained(script=LOADS, HF_MODEL_ID="distilbert-base-uncased"),
     "HF_MODEL_ID is 'distilbert-base-uncased', so that the container serves the hub's model",
     pretrained(script=LOADS, HF_TASK="text-classification")),
    ("artifact-mxnet-files",
     of("mxnet", "1.9", "model-symbol.json", "model-0000.params", "model-shapes.json"),
     "there is no code/inference.py, which MXNet's image imports before all else",
     of("mxnet", "1.9", "net-symbol.json", script=LOADS)),
    ("artifact-unjudged", of("linear-learner", "1", "model_algo-1"),
     "what linear-learner's image looks for in an archive is not known here",
     of("xgboost", "1.7-1", "xgboost-model")),
    (
        "multi-model-requirements",  # aws/sagemaker-tensorflow-serving-container#212
        many("tensorflow", "2.19", {SCRIPT: GOOD, "code/requirements.txt": b"pandas"}),
        "its code/requirements.txt is not installed on a multi-model endpoint; install them into "
        "code/lib/ of the archive",
        many("tensorflow", "2.19", {SCRIPT: GOOD, "code/lib/pandas/__init__.py": b""}),
    ),
    ("multi-model-requirements", many("tensorflow", "2.8", {SCRIPT: GOOD}),
     "image of 2.8 calls no code of a model on a multi-model endpoint, so code/inference.py has "
     "no effect", many("tensorflow", "2.9", {SCRIPT: GOOD})),
    ("handler-imports",
     many("tensorflow", "2.19", {SCRIPT: b"import cv2\n" + GOOD, "code/requirements.txt": b"x"}),
     "imports cv2, which neither the image nor the archive provides; put opencv-python in a "
     "code/lib/",
     many("tensorflow", "2.19", {SCRIPT: b"import cv2\n" + GOOD, "code/lib/cv2/a.so": b""})),
]  # fmt: skip

CASES: list[tuple[str, Model, str, Model]] = [
    *CONTAINERS,
    ("batching-signature", batched({"x": ("float32", (15,))}, 16), "takes exactly 15 at a time",
     batched({"x": ("float32", (16,)), "y": ("string", ()), "z": ("int32", None)}, 16)),
    ("handler-parses", script("def handler(data, context:\n"),
     "code/inference.py line 1 does not parse", script("def handler(data, context): ...")),
    ("handler-functions", script("def input_handler(data, context): ..."),
     "defines input_handler and not output_handler; the TensorFlow Serving container calls both: "
     "add output_handler",
     script("from lib import output_handler\ndef input_handler(data, context): ...")),
    ("handler-functions", pytorch("def handler(data, context): ..."),
     "calls: model_fn or input_fn or predict_fn or output_fn or transform_fn",
     pytorch("def predict_fn(data, model): ...")),
    ("handler-before-code", old_pytorch("1.1"),
     "framework_version is '1.1', whose image does not look into code/, where code/inference.py",
     old_pytorch("1.1", {"SAGEMAKER_SUBMIT_DIRECTORY": "/opt/ml/model/code"})),
    ("handler-before-code", old_pytorch("1.2.0", {}, "code/requirements.txt"),
     "'1.2.0', whose image installs no code/requirements.txt; use 1.3 or newer",
     old_pytorch("1.3.1", {}, "code/requirements.txt")),
    ("handler-before-code", old_pytorch("1.0"), "use 1.2 or newer", old_pytorch("1.2")),
    ("handler-functions",
     compiled("onnx", "a.onnx", content={SCRIPT: b"def neo_postprocess(result): ..."}),
     "defines neo_postprocess and not neo_preprocess; the Neo container calls both: add "
     "neo_preprocess", compiled("onnx", "a.onnx")),
    ("handler-functions",
     compiled("onnx", "a.onnx", content={SCRIPT: b"def model_fn(model_dir): ..."}),
     "the Neo container calls: neo_preprocess + neo_postprocess",
     compiled("onnx", "a.onnx",
      content={SCRIPT: b"def neo_preprocess(a, b): ...\ndef neo_postprocess(a): ..."})),
    ("handler-functions",
     compiled("pytorch", device="ml_inf1", content={SCRIPT: b"def predict_fn(a, b): ..."}),
     "the Neo container calls: neo_preprocess + neo_postprocess",
     compiled("pytorch", device="ml_c5", content={SCRIPT: b"def predict_fn(a, b): ..."})),
    ("handler-transform-alone",
     pytorch("def transform_fn(m, d, c, a): ...\ndef input_fn(d, c): ..."),
     "defines transform_fn and input_fn; the container refuses both together",
     pytorch("def transform_fn(m, d, c, a): ...\ndef model_fn(d): ...")),
    ("handler-arguments", script("def handler(data): ..."),
     "code/inference.py:1 handler cannot be called with 2 arguments, as the TensorFlow Serving "
     "container does; write def handler(data, context):", script("def handler(data, *rest): ...")),
    ("handler-arguments", pytorch("def model_fn(model_dir, context, more): ..."),
     "model_fn has 3 parameters, and the container calls it with 1, or with 2 where it has one",
     pytorch("def model_fn(model_dir, context): ...\ndef predict_fn(data, *rest): ...")),
    ("handler-arguments", pytorch('def model_fn(model_dir, *, device="cpu"): ...'),
     "model_fn cannot be called with 2 arguments",
     pytorch('def model_fn(model_dir, device="cpu"): ...')),
    ("handler-arguments", pytorch("def model_fn(model_dir, a=1, b=2): ..."),
     "model_fn has 3 parameters", pytorch("@wrapped\ndef model_fn(model_dir, a, b): ...")),
    ("handler-arguments", pytorch("def predict_fn(*both): ..."), "predict_fn has 1 parameters",
     pytorch("def predict_fn(*both): ...\npredict_fn = wrapped(predict_fn)")),
    ("handler-arguments", huggingface("def model_fn(): ..."), "model_fn has 0 parameters",
     huggingface("def model_fn(model_dir, context): ...")),
    ("handler-arguments", script("handler = lambda data: data"),
     "handler cannot be called with 2 arguments", script("handler = lambda data, context: data")),
    ("handler-arguments", named("serve.py", {"code/serve.py": b"def model_fn(): ..."}),
     "code/serve.py:1 model_fn has 0 parameters",
     named("serve.py", {"code/serve.py": b"def model_fn(d): ...", SCRIPT: b"def model_fn(): ..."})),
    ("artifact-pytorch-file", named("serve.py", {SCRIPT: b"def model_fn(d): ..."}),
     "no model_fn in code/serve.py", named("serve", {"code/serve.py": b"def model_fn(d): ..."})),
    ("handler-place", named("serve.py", {SCRIPT: b"def model_fn(d): ...", "model.pt": b""}),
     "SAGEMAKER_PROGRAM is 'serve.py', and the archive has no code/serve.py",
     named("inside.serve", {"code/inside/serve.py": b"def model_fn(d): ..."})),
    ("handler-place", Model({MODEL: saved_model(), "inference.py": GOOD}),
     "inference.py would never be called; move it to code/inference.py",
     Model({MODEL: saved_model(), SCRIPT: GOOD})),
    ("handler-place", Model({MODEL: saved_model(), "code/serve.py": GOOD}),
     "code/serve.py would never be called, since there is no code/inference.py; rename it",
     Model({MODEL: saved_model(), SCRIPT: GOOD, "code/serve.py": GOOD})),
    ("handler-requirements-place",
     Model({MODEL: saved_model(), SCRIPT: GOOD, "requirements.txt": b"pandas"}),
     "requirements.txt would never be installed; move it to code/requirements.txt",
     Model({MODEL: saved_model(), SCRIPT: GOOD, "code/requirements.txt": b"pandas"})),
    ("handler-imports", script("import tensorflow as tf\ndef handler(a, b): ..."),
     "code/inference.py:1 imports tensorflow, which neither the image nor the archive provides; "
     "TensorFlow Serving's image has no tensorflow package",
     script("try:\n  import tensorflow\nexcept ImportError: ...\ndef handler(a, b): ...")),
    ("handler-imports",
     script("import PIL.Image\ndef handler(a, b): ...", **{"code/lib/x.py": b""}),
     "imports PIL, which neither the image nor the archive provides; put pillow in a code/lib/",
     script("import PIL.Image\ndef handler(a, b): ...", **{"code/lib/PIL/Image.py": b""})),
    ("handler-imports",
     Model({MODEL: saved_model(), SCRIPT: b"import numpy, json, requests, helper",
      "code/helper.py": b""}, {"framework_version": "2.19"}), "imports numpy",
     Model({MODEL: saved_model(), SCRIPT: b"import numpy\ndef handler(a, b): ..."},
      {"framework_version": "2.20"})),
    ("handler-imports-unlisted",
     script("import cv2", **{"code/requirements.txt": b"pandas==2.0  # tables\n"}),
     "imports cv2, which neither the image nor the archive provides; list opencv-python",
     script("import cv2", **{"code/requirements.txt": b"opencv_python-headless>=4\n"})),
    ("handler-requirements-ignored",
     script("", **{"code/requirements.txt": b"x\n", "code/lib/x.py": b""}),
     "code/requirements.txt is ignored because there is a code/lib/",
     script("", **{"code/requirements.txt": b"# x\n", "code/lib/x.py": b""})),
    ("handler-requirements-isolated", isolated({"code/requirements.txt": b"x\n"}),
     "has a code/requirements.txt, which an isolated container cannot install",
     isolated({"code/requirements.txt": b"x\n", "code/lib/x.py": b""})),
    ("handler-requirements-isolated", private({"code/requirements.txt": b"x\n"}),
     "has a code/requirements.txt, which a container in a VPC without a way out cannot install; "
     "install what it lists into code/lib/, or put subnets that have one into network",
     private({"code/requirements.txt": b"x\n", "code/lib/x.py": b""})),
    ("private-packages", packages("arn:aws:codeartifact:eu-west-1:111122223333:domain/team"),
     "CA_REPOSITORY_ARN is 'arn:aws:codeartifact:eu-west-1:111122223333:domain/team'; it must be "
     "arn:aws:codeartifact:<region>:<account>:repository/<domain>/<repository>",
     packages(REPOSITORY)),
    ("private-packages-unread",
     Model({MODEL: saved_model()}, {"environment": {"CA_REPOSITORY_ARN": REPOSITORY}}),
     "CA_REPOSITORY_ARN is given to TensorFlow's image, which installs requirements.txt from PyPI "
     "alone", packages(REPOSITORY)),
]  # fmt: skip
