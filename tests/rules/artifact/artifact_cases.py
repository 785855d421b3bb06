"""Artifacts with one thing wrong, what is said of it, and the nearest that is right."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile

from tests.models import (
    add,
    archive,
    frozen_graph,
    keras_file,
    keras_h5,
    one_member,
    saved_model,
    variables,
)
from tests.rules.artifact.artifacts import GOOD, MODEL, RIGHT, SCRIPT, TRACED, Model, pytorch
from tests.rules.artifact.handler_cases import CASES as HANDLERS
from tests.rules.artifact.neo_cases import CASES as NEO
from tests.rules.artifact.triton_cases import CASES as TRITON

SERVERLESS = {"instance_type": None, "max_concurrency": 5}
RIGHT_ARCHIVE = Model(archive({MODEL: saved_model()}))


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


def bomb() -> bytes:
    """80 MiB of zeros behind a model, of which one is packed."""
    tar = gzip.decompress(archive({MODEL: saved_model()})).rstrip(b"\0")
    member = tarfile.TarInfo("zeros")
    member.size = 80 << 20
    tar += bytes(-len(tar) % 512) + member.tobuf()
    return gzip.compress(tar) + gzip.compress(bytes(1 << 20)) * 81


TWO = {"a/1/saved_model.pb": saved_model(), "b/1/saved_model.pb": saved_model()}

CHOICE = {"a": ("Placeholder", ()), "b": ("Placeholder", ()), "sum": ("Add", ("a", "b"))}
DEFAULT = "SAGEMAKER_TFS_DEFAULT_MODEL_NAME"
VARIABLES = variables("digits/1")
JOINED = {
    "instance_type": "ml.m5.xlarge",
    "split_type": "Line",
    "assemble_with": "Line",
    "content_type": "text/csv",
    "accept": "text/csv",
    "join_source": "Input",
}
MANY = {"artifact": None, "multi_model": {"archives": {"many": "model.tar.gz"}}}
RAY_SERVE = {"framework": "ray-serve", "framework_version": "1.4"}
CONFIG = b"applications:\n  - {name: a, route_prefix: /, import_path: 'deployment:app'}\n"
VLLM = "763104351884.dkr.ecr.eu-west-1.amazonaws.com/vllm:0.10-gpu-py312"
OWN = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/mine:1"
LMI = {"artifact": None, "framework": "djl-lmi", "framework_version": "0.30.0"}
AS_FILES = {"artifact": {"folder": "model", "uncompressed": True}}
LONG = "/".join(["n" * 200] * 4)
UNPACKED = {"artifact": {"s3": "s3://bucket/model/", "sha256": "0"}}
HUB = {"HF_MODEL_ID": "openai/gpt-oss-20b"}
ISOLATED = {"network_isolation": True}
INDEX, SHARD = sorted(VARIABLES, reverse=True)


def lambda_layer(name: str) -> object:
    return {"class_name": "Sequential", "config": {"layers": [{"class_name": name, "config": L}]}}


def named(*inputs: str, layer: str = "dense", model: str = "functional") -> Model:
    """A Keras model with inputs, a layer and itself of these names."""
    kinds = [*(("InputLayer", name) for name in inputs), ("Dense", layer)]
    layers = [{"class_name": kind, "config": {"name": name}} for kind, name in kinds]
    config = {"class_name": "Functional", "config": {"name": model, "layers": layers}}
    return Model({"m.keras": keras_file(config)}, {"artifact": "model/m.keras"})


L = {"name": "l"}
CASES: list[tuple[str, Model, str, Model]] = [
    # rule, the wrong model, what is said, the nearest right one
    ("artifact-damaged", Model({MODEL: saved_model(), **VARIABLES, SHARD: VARIABLES[SHARD][:-1]}),
     f"{SHARD} is damaged: it has 7 bytes, and the tensors in variables.index end at 8; export "
     "or copy the model again", Model({MODEL: saved_model(), **VARIABLES})),
    ("artifact-damaged", Model({MODEL: b"version https://git-lfs.github.com/spec/v1\nsize 9\n"}),
     f"{MODEL} is damaged: it is a pointer of Git LFS, and `git lfs pull` gets the file",
     Model({MODEL: saved_model()})),
    ("archive-damaged", Model({"m.keras": b"version https://git-lfs.github.com/spec/v1\nsize 9\n"},
     {"artifact": "model/m.keras"}),
     "m.keras is a pointer of Git LFS, and `git lfs pull` gets the file",
     Model({"m.keras": keras_file(lambda_layer("Dense"))}, {"artifact": "model/m.keras"})),
    ("archive-damaged", Model({"m.keras": b""}, {"artifact": "model/m.keras"}),
     "m.keras is empty (0 bytes), as a copy that broke off leaves it; copy or save it again, or "
     "get it with `git lfs pull` or `dvc pull`",
     Model({"m.keras": keras_file(lambda_layer("Dense"))}, {"artifact": "model/m.keras"})),
    ("artifact-saved-model-readable", Model({MODEL: saved_model()[:-1]}),
     f"{MODEL} is no SavedModel; export the model again", Model({MODEL: saved_model()})),
    ("artifact-readable", Model({"graph.pb": frozen_graph(CHOICE)}, {"artifact": "model/graph.pb"}),
     "graph.pb is a frozen graph with 2 possible inputs: a, b; say which: init takes --input",
     Model({"graph.pb": frozen_graph()}, {"artifact": "model/graph.pb"})),
    ("archive-format", Model(b"I am a text\n"), "is a text file, not a gzipped tar", RIGHT_ARCHIVE),
    ("archive-damaged", Model(b""), "is empty (0 bytes)", RIGHT_ARCHIVE),
    ("archive-zip", Model(zipped()), "is a zip file, not a gzipped tar", RIGHT_ARCHIVE),
    ("archive-damaged", Model(archive({MODEL: saved_model()})[:-20]),
     "is not a complete gzipped tar", RIGHT_ARCHIVE),
    ("archive-damaged", Model(gzip.compress(b"no tar" * 200)),
     "is not a complete gzipped tar (a header in it is wrong", RIGHT_ARCHIVE),
    ("archive-absolute-path", Model(one_member("/etc/passwd")),
     "'/etc/passwd' in the archive is an absolute path", Model(one_member("etc/passwd"))),
    ("archive-outside-path", Model(one_member("a/../../b")),
     "'a/../../b' in the archive leads out of it", Model(one_member("a/..b"))),
    ("archive-outside-link", Model(one_member("a/link", tarfile.SYMTYPE, "../../b")),
     "'a/link' in the archive is a link out of it, to '../../b'",
     Model(one_member("a/link", tarfile.SYMTYPE, "../b"))),
    ("archive-special-file", Model(one_member("pipe", tarfile.FIFOTYPE)),
     "'pipe' in the archive is a FIFO", Model(one_member("pipe"))),
    ("archive-duplicate", Model(twice()), f"'{MODEL}' is in the archive twice", RIGHT_ARCHIVE),
    ("archive-name", Model(latin_1()), "in the archive is not UTF-8", Model(one_member("café"))),
    ("archive-bomb", Model(bomb()), "unpacks to more than 250 times its size",
     Model(archive({MODEL: saved_model(), "zeros": bytes(40 << 20)}))),
    ("artifact-given", Model({MODEL: saved_model()}, {"artifact": None}), "artifact is missing",
     RIGHT),
    ("artifact-given", Model(None, {"artifact": None, "image_uri": VLLM}),
     "artifact is missing; give the model's folder, its .tar.gz, or {s3: s3://…, sha256: …}, or "
     "the model's id as SM_VLLM_MODEL or HF_MODEL_ID",
     Model(None, {"artifact": None, "image_uri": VLLM, "environment": HUB})),
    ("artifact-given", Model(None, {**LMI, "environment": {"HF_MODEL_ID": "/opt/ml/model"}}),
     "or the model's id as HF_MODEL_ID or OPTION_MODEL_ID",
     Model(None, {**LMI, "environment": {"OPTION_MODEL_ID": "openai/gpt-oss-20b"}})),
    ("artifact-given", Model(None, {"artifact": None, "environment": HUB}), "artifact is missing",
     Model(None, {"artifact": None, "image_uri": OWN})),
    ("model-id-offline", Model(None, {**LMI, "environment": HUB, **ISOLATED}),
     "HF_MODEL_ID is 'openai/gpt-oss-20b', which an isolated container cannot fetch; give the "
     "model as artifact, or leave network_isolation out",
     Model({MODEL: saved_model()}, {"image_uri": VLLM, "environment": HUB, **ISOLATED})),
    ("model-id-offline",
     Model(None, {**LMI, "environment": HUB}, {}, {"network": {"cidr": "10.0.0.0/16"}}),
     "which a container in a VPC without a way out cannot fetch; give the model as artifact, or "
     "put subnets that have one into network, in the place of cidr",
     Model(None, {**LMI, "environment": HUB}, {}, {"network": {"subnet_ids": ["subnet-1"],
      "security_group_ids": ["sg-1"]}})),
    ("model-id-s3", Model(None, {**LMI, "environment": {"OPTION_MODEL_ID": "s3://models/words/"}}),
     "OPTION_MODEL_ID is 's3://models/words/', which the role is not granted; give it as "
     "artifact, with a slash at the end where it is a prefix",
     Model(None, {**LMI, "environment": HUB})),
    ("artifact-saved-model", Model({"digits/v1/saved_model.pb": saved_model()}),
     "there is one in digits/v1/, whose name is not all digits; rename digits/v1/", RIGHT),
    ("artifact-saved-model", Model({SCRIPT: GOOD}),
     "put the SavedModel there, for example as mymodel/1/saved_model.pb",
     Model({SCRIPT: GOOD, "1/saved_model.pb": saved_model()})),
    ("artifact-conversion", Model({"m.keras": b"<html>"}, {"artifact": "model/m.keras"}),
     "m.keras is no Keras model; save or download it again",
     Model({"m.keras": keras_file(lambda_layer("Dense"))}, {"artifact": "model/m.keras"})),
    ("artifact-conversion", Model({"m.h5": b"<html>"}, {"artifact": "model/m.h5"}),
     "m.h5 is no Keras model; save or download it again",
     Model({"m.h5": keras_h5(lambda_layer("Dense"))}, {"artifact": "model/m.h5"})),
    ("artifact-conversion", Model({"m.ubj": b"<html>"}, {"artifact": "model/m.ubj"}),
     "m.ubj is no XGBoost model; save or download it again",
     Model({"m.ubj": b"{L"}, {"artifact": "model/m.ubj"})),
    ("artifact-conversion", Model({"m.onnx": b"<html>"}, {"artifact": "model/m.onnx"}),
     "m.onnx is no ONNX model; save or download it again",
     Model({"m.onnx": b"<html>", SCRIPT: GOOD})),
    ("artifact-conversion", named("Länge"),
     "TensorFlow makes no SavedModel of m.keras, where 'Länge' names the model, a",
     named("Laenge")),
    ("artifact-conversion", named("_x"),
     "TensorFlow makes no SavedModel of m.keras, where '_x' names the model, a",
     named("x_")),
    ("artifact-conversion", named("x", "X"),
     "TensorFlow makes no SavedModel of m.keras, where 'x', 'X' names the model, a",
     named("x", "y")),
    ("artifact-conversion", named("a-b", "a.b"),
     "TensorFlow makes no SavedModel of m.keras, where 'a-b', 'a.b' names the model, a",
     named("a-b", "a.c")),
    ("artifact-conversion", named("x", layer="my layer"),
     "TensorFlow makes no SavedModel of m.keras, where 'my layer' names the model, a",
     named("x", layer="layer_")),
    ("artifact-conversion", named("x", model="my model"),
     "TensorFlow makes no SavedModel of m.keras, where 'my model' names the model, a",
     named("x", model="model_1")),
    ("artifact-keras-classes",
     Model({"m.keras": keras_file(lambda_layer("Lambda"))}, {"artifact": "model/m.keras"}),
     "m.keras needs the Lambda layer l; Keras has that only where your code defines it; load the "
     "model there, write model.export(",
     Model({"m.keras": keras_file(lambda_layer("Dense"))}, {"artifact": "model/m.keras"})),
    ("artifact-keras-classes", Model({"m.h5": keras_h5(None)}, {"artifact": "model/m.h5"}),
     "m.h5 holds weights, and no model that they belong to",
     Model({"m.h5": keras_h5(lambda_layer("Dense"))}, {"artifact": "model/m.h5"})),
    ("artifact-frozen-graph", Model({"frozen.pb": frozen_graph(), "labels.txt": b""}),
     "frozen.pb is a frozen graph, which TensorFlow Serving does not load",
     Model({"frozen.pb": frozen_graph(), MODEL: saved_model()})),
    ("artifact-version-folder",
     Model({MODEL: saved_model(), "digits/v2/saved_model.pb": saved_model()}),
     "the SavedModel in digits/v2/ would never be loaded",
     Model({MODEL: saved_model(), "digits/2/saved_model.pb": saved_model()})),
    ("artifact-saved-model-readable", Model({MODEL: saved_model(tags=("train",))}),
     "is tagged train, and TensorFlow Serving loads 'serve'",
     Model({MODEL: saved_model(tags=("train", "serve"))})),
    ("artifact-variables", Model({MODEL: saved_model(ops=("VarHandleOp",))}),
     "has variables and there is no digits/1/variables/variables.index",
     Model({MODEL: saved_model(ops=("VarHandleOp",)), **VARIABLES})),
    ("artifact-variables", Model({MODEL: saved_model(), "digits/1/variables/variables.index": b""}),
     "digits/1/variables/variables.index has no variables.data-* beside it",
     Model({MODEL: saved_model(), **VARIABLES})),
    ("artifact-links", Model(one_member("again", tarfile.SYMTYPE, MODEL)),
     "again is a link, which SageMaker does not unpack", Model(one_member("again"))),
    ("artifact-default-model", Model(TWO, {"environment": {DEFAULT: "c"}}),
     f"{DEFAULT} is 'c'; the archive holds a, b", Model(TWO, {"environment": {DEFAULT: "b"}})),
    ("artifact-pytorch-file",
     pytorch("def predict_fn(data, model): ...", {"a.pth": b"-", "b.pth": b"-"}),
     "there are 2 .pt or .pth files at its top and no model_fn",
     pytorch("def model_fn(model_dir): ...", {"a.pth": b"-", "b.pth": b"-"})),
    ("artifact-pytorch-file",
     pytorch("def predict_fn(data, model): ...", {"a.pth": b"\x80\x02 weights"}),
     "a.pth is not TorchScript and there is no model_fn",
     pytorch("def predict_fn(data, model): ...", {"a.pth": TRACED, "code/b.pth": b""})),
    ("artifact-pytorch-file",
     pytorch("def predict_fn(data, model): ...", {"model.pth": TRACED, "a.pth": TRACED}),
     "there are 2 .pt or .pth files at its top",
     pytorch("def predict_fn(data, model): ...", {"model.pt": TRACED, "a.pth": TRACED})),
    ("artifact-ray-serve", Model({"deployment.py": b"", "code/inference.py": b""}, RAY_SERVE),
     "there is no config.yaml at its top, so Ray Serve has no application; add it and "
     "deployment.py, or set environment: {SM_RAYSERVE_APP: deployment:app}; for a PyTorch model",
     Model({"deployment.py": b"", "config.yaml": CONFIG, "code/inference.py": b""}, RAY_SERVE)),
    ("artifact-ray-serve",
     Model({"config.yaml": CONFIG + b"  - {", "deployment.py": b""}, RAY_SERVE),
     "config.yaml names no application; write applications: [{name: model,",
     Model({"config.yaml": CONFIG, "deployment.py": b""}, RAY_SERVE)),
    ("artifact-ray-serve",
     Model({"weights": b""}, RAY_SERVE | {"environment": {"SM_RAYSERVE_APP": "own.app:app x=1"}}),
     "SM_RAYSERVE_APP names 'own.app:app', and there is no own.py",
     Model({"own/app.py": b""},
      RAY_SERVE | {"environment": {"SM_RAYSERVE_APP": "own.app:app x=1"}})),
    ("artifact-memory",
     Model(RIGHT.content, {}, {"instance_type": "ml.t2.medium", "sparse": 5 << 30}),
     "'ml.t2.medium' with 4 GiB of memory; the model has 5.4 GB unpacked",
     Model(RIGHT.content, {}, {"instance_type": "ml.t2.large", "sparse": 5 << 30})),
    ("artifact-memory",
     Model(RIGHT.content, {}, {**SERVERLESS, "memory_size_in_mb": 3072, "sparse": 3 << 30}),
     "memory_size_in_mb is 3072; the model has 3.2 GB unpacked",
     Model(RIGHT.content, {}, {**SERVERLESS, "memory_size_in_mb": 4096, "sparse": 3 << 30})),
    ("artifact-disk",
     Model(RIGHT.content, {}, {**SERVERLESS, "memory_size_in_mb": 6144, "sparse": 5 << 30}),
     "has 5 GB of disk, whatever its memory; the archive and the unpacked model need 5.4 GB",
     Model(RIGHT.content, {}, {**SERVERLESS, "memory_size_in_mb": 6144, "sparse": 4 << 30})),
    ("artifact-disk", Model(RIGHT.content, {}, {"volume_size_in_gb": 5, "sparse": 5 << 30}),
     "has 5 GB; the archive and the unpacked model need 5.4 GB; use a larger volume",
     Model(RIGHT.content, {}, {"volume_size_in_gb": 6, "sparse": 5 << 30})),
    ("model-data-form", Model(None, {"artifact": {"s3": "s3://bucket/key.zip", "sha256": "0"}}),
     "SageMaker loads one archive: s3://<bucket>/<key>.tar.gz",
     Model(None, {"artifact": {"s3": "s3://bucket/key.tar.gz", "sha256": "0"}})),
    ("model-data-form",
     Model(None, {"artifact": {"s3": "https://example.com/b/key.tar.gz", "sha256": "0"}}),
     "SageMaker loads one archive: s3://<bucket>/<key>.tar.gz",
     Model(None, {"artifact": {"s3": "https://s3.amazonaws.com/bkt/key.tar.gz", "sha256": "0"}})),
    ("location-bucket",
     Model(None, {"artifact": {"s3": "s3://My_Models/key.tar.gz", "sha256": "0"}}),
     "no bucket can be named 'My_Models': names have 3 to 63 lower-case letters, digits",
     Model(None, {"artifact": {"s3": "s3://my-models/key.tar.gz", "sha256": "0"}})),
    ("location-no-bucket",
     Model(None, {"artifact": {"s3": "s3://my..models/key.tar.gz", "sha256": "0"}}),
     "no bucket can be named 'my..models': names have 3 to 63 lower-case letters, digits and "
     "hyphens, dots between letters and digits alone, and are no IP address",
     Model(None, {"artifact": {"s3": "s3://my.models/key.tar.gz", "sha256": "0"}})),
    *(("location-no-bucket", Model(None, {"artifact": {"s3": wrong, "sha256": "0", **key}}),
       "no bucket can be named ", Model(None, {"artifact": {"s3": wrong, "sha256": "0"}}))
      for key in ({"kms_key_arn": "arn:aws:kms:eu-west-1:123456789012:key/1"},)
      for wrong in (f"s3://{'a' * 64}/key.tar.gz", "s3://arn:aws:s3:::b/key.tar.gz")),
    ("location-no-bucket", Model(None, {"artifact": {"s3": f"s3://{'a' * 64}/m/", "sha256": "0"}}),
     "no bucket can be named ",
     Model(None, {"artifact": {"s3": f"s3://{'a' * 63}/m/", "sha256": "0"}})),
    ("location-no-bucket",
     Model(None, {"artifact": {"s3": "s3://192.168.5.4/key.tar.gz", "sha256": "0"}}),
     "no bucket can be named '192.168.5.4': names have 3 to 63 lower-case letters",
     Model(None, {"artifact": {"s3": "s3://192.168.5.4-x/key.tar.gz", "sha256": "0"}})),
    ("model-data-form", Model(None, {"artifact": {"s3": "s3://bucket/model", "sha256": "0"}}),
     "SageMaker loads one archive: s3://<bucket>/<key>.tar.gz, or what is below a prefix: "
     "s3://<bucket>/<prefix>/",
     Model(None, {"artifact": {"s3": "s3://bucket/model/", "sha256": "0"}})),
    ("model-data-form", Model(None, {"artifact": {"s3": "s3://bucket/key.tar.gz/", "sha256": "0"}}),
     "SageMaker loads one archive: s3://<bucket>/<key>.tar.gz",
     Model(None, {"artifact": {"s3": "s3://bucket/key.tar.gz", "sha256": "0"}})),
    ("model-data-form",
     Model(None, {"artifact": {"s3": "s3://bucket/m/", "sha256": "0", "version_id": "1"}}),
     "version_id is '1' and 's3://bucket/m/' is a prefix, which has no version",
     Model(None, {"artifact": {"s3": "s3://bucket/m/", "sha256": "0"}})),
    ("model-data-form",
     Model(None, {"artifact": None, "multi_model": {"archives": {"a": "s3://bucket/m/"}}}),
     "is 's3://bucket/m/'; SageMaker loads one archive: s3://<bucket>/<key>.tar.gz",
     Model(None, {"artifact": None, "multi_model": {"archives": {"a": "s3://bkt/m.tar.gz"}}})),
    ("artifact-sources", Model(RIGHT.content, {"artifact": ["model", "s3://bucket/code.tar.gz"]}),
     "'s3://bucket/code.tar.gz' is in S3, and a list is packed here",
     Model(RIGHT.content, {"artifact": ["digits=model/digits"]})),
    ("artifact-several-models",
     Model(RIGHT.content, {"artifact": ["a=model/digits", "b=model/digits"]}),
     "artifact is '[a=model/digits, b=model/digits]'; there are 2 models (a, b)",
     Model(RIGHT.content, {"artifact": ["a=model/digits", "b=model/digits"],
      "environment": {DEFAULT: "a"}})),
    ("archive-duplicate",
     Model(RIGHT.content, {"artifact": ["model/digits", "digits=model/digits"]}),
     "two sources would be 'digits/1/saved_model.pb' in the archive",
     Model(RIGHT.content, {"artifact": ["model/digits", "digits/2=model/digits/1"]})),
    ("artifact-multi-model-layout", Model(RIGHT_ARCHIVE.content, MANY),
     "its model is digits/1/, and in multi-model mode TensorFlow Serving looks for "
     "<digits>/saved_model.pb at the archive's top",
     Model(archive({"1/saved_model.pb": saved_model()}), MANY)),
    ("artifact-multi-model-layout",
     Model(TWO, {"artifact": None, "multi_model": {"archives": {"two": "model"}}}),
     "it holds 2 models (a, b), and an archive of a multi-model endpoint is one",
     Model(RIGHT.content, {"artifact": None, "multi_model": {"archives": ["model"]}})),
    ("multi-model-names",
     Model(RIGHT.content, {"artifact": None, "multi_model": {"archives": ["model/digits",
      "model/digits/1"]}}), "'model/digits' and 'model/digits/1' would both be digits.tar.gz",
     Model(RIGHT.content, {"artifact": None, "multi_model": {"archives": ["model/digits",
      "b=model/digits/1"]}})),
    ("artifact-packed",
     Model(None, {**UNPACKED, "variants": [{"name": "v", "memory_size_in_mb": 1024,
      "max_concurrency": 1}]}), "a serverless endpoint takes an archive alone",
     Model(None, {**UNPACKED, "asynchronous": {}})),
    ("artifact-packed",
     Model(RIGHT.content, {**AS_FILES, "batch_transform": {"instance_type": "ml.m5.large"}}),
     "the files of 'model' are not packed; a transform job takes an archive alone; remove "
     "uncompressed", Model(RIGHT.content, AS_FILES)),
    ("artifact-uncompressed",
     Model(RIGHT.content, {"artifact": {"folder": "s3://bucket/m/", "uncompressed": True}}),
     "folder is 's3://bucket/m/', which is in S3; write {s3: s3://bucket/m/}",
     Model(RIGHT.content, {"artifact": {"folder": "model"}})),
    ("artifact-uncompressed",
     Model(archive({MODEL: saved_model()}), {"artifact": {"folder": "model.tar.gz",
      "uncompressed": True}}),
     "folder is 'model.tar.gz', which is one file; give a folder, or write artifact: <the file>",
     Model(archive({MODEL: saved_model()}), {"artifact": {"folder": "model.tar.gz"}})),
    ("artifact-uncompressed",
     Model(RIGHT.content, {**AS_FILES, "compile": {"target_device": "ml_c5"}}),
     "the model is compiled; Neo takes an archive; remove uncompressed",
     Model(RIGHT.content, {"compile": {"target_device": "ml_c5"}})),
    ("artifact-uncompressed", Model({MODEL: saved_model(), " /x": b""}, AS_FILES),
     "folder is 'model'; ' /x' in it has a blank name; give it another",
     Model({MODEL: saved_model(), "a b/x": b""}, AS_FILES)),
    ("artifact-uncompressed", Model({MODEL: saved_model(), f"{LONG}/{'é' * 46}": b""}, AS_FILES),
     "é' in it has 896 bytes; an object's key has room for 895; shorten it",
     Model({MODEL: saved_model(), f"{LONG}/{'é' * 45}n": b""}, AS_FILES)),
    ("artifact-large", Model(RIGHT.content, variant={"sparse": (10 << 30) + 1}),
     "artifact is 'model' with 10.7 GB, which each synth packs and each instance unpacks; an "
     "endpoint on instances takes the files as they are: {folder: model, uncompressed: true}",
     Model(RIGHT.content, AS_FILES, {"sparse": (10 << 30) + 1})),
    ("artifact-pinned", Model(None, {"artifact": "s3://bucket/model/"}),
     "without sha256; when an object below it changes, nothing is deployed", Model(None, UNPACKED)),
    ("artifact-pinned", Model(None, {"artifact": "s3://bucket/key.tar.gz"}),
     "without sha256 or version_id; when the object changes, nothing is deployed",
     Model(None, {"artifact": {"s3": "s3://bucket/key.tar.gz", "version_id": "0"}})),
    (
        "transform-answers",  # aws/sagemaker-tensorflow-serving-container#154
        Model({MODEL: saved_model()}, {"batch_transform": JOINED}),
        "accept is 'text/csv', and TensorFlow Serving answers JSON alone; join_source reads it",
        Model({MODEL: saved_model(), SCRIPT: GOOD}, {"batch_transform": JOINED}),
    ),
    (
        "artifact-signature",  # tensorflow/tensorflow#69307
        Model({MODEL: saved_model(signature_name=None)}),
        f"{MODEL} has no signature, so that each request fails: 'Serving signature name:",
        Model({MODEL: saved_model(signature_name=None), SCRIPT: GOOD}),
    ),
    ("artifact-signature-default", Model({MODEL: saved_model(signature_name="length")}),
     "has no signature 'serving_default', so that each request fails which names none of length",
     RIGHT),
    ("artifact-signature-default", Model({MODEL: saved_model(signature_name=None), SCRIPT: GOOD}),
     "has no signature, so that what code asks of it fails; export it with one",
     Model({MODEL: saved_model(), SCRIPT: GOOD})),
    ("artifact-signature-inputs",
     Model({MODEL: saved_model({"table": ("resource", ())}), SCRIPT: GOOD}),
     "input 'table' of signature 'serving_default' in digits/1/saved_model.pb is of dtype "
     "resource, which no request carries",
     Model({MODEL: saved_model({"table": ("string", ())}), SCRIPT: GOOD})),
    ("artifact-signature-inputs", Model({MODEL: saved_model({"x": ("float16", (None, 2))})}),
     "of dtype float16, which no JSON or CSV carries; export a function that takes float32",
     Model({MODEL: saved_model({"x": ("float16", (None, 2))}), SCRIPT: GOOD})),
    *HANDLERS,
    *NEO,
    *TRITON,
]  # fmt: skip
