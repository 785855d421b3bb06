"""Rules on a model's layout: its server finds it, complete and without ambiguity."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from local_aws.suggest import nearest
from sagemaker_serving.archive.contents import is_version
from sagemaker_serving.archive.handlers import script_variables
from sagemaker_serving.catalog.images import frameworks
from sagemaker_serving.rules.container.model_ids import HUGGING_FACE, NEEDS_ID
from sagemaker_serving.rules.engine import Finding, note, rule, warning
from sagemaker_serving.rules.facts import ArtifactFacts

_LAYOUT = "aws/deep-learning-containers e0ecede, TensorFlow model discovery"
_LOADER = "TensorFlow 2.21, saved_model/loader.cc"
_MULTI_MODEL = (
    "aws/sagemaker-tensorflow-serving-container da19256, python_service.py and tfs_utils.py "
    "(find_model_versions); the same in aws/deep-learning-containers e0ecede"
)
_PYTORCH = "aws/sagemaker-pytorch-inference-toolkit, default_model_fn"
_DEFAULT_MODEL = "SAGEMAKER_TFS_DEFAULT_MODEL_NAME"


@rule(source=_LAYOUT, example="digits/v1/saved_model.pb and no other")
def artifact_saved_model(facts: ArtifactFacts) -> Iterator[Finding]:
    """TensorFlow Serving finds a SavedModel: ``[name/]<digits>/saved_model.pb``.

    The server starts, finds no model, and fails its health checks until the deploy gives up.
    """
    contents = facts.served_by("tensorflow")
    if contents is None or contents.models or contents.damaged or _frozen_graphs(facts):
        return
    if contents.misplaced_models:
        folder = contents.misplaced_models[0]
        advice = (
            f"there is one in {folder}/, whose name is not all digits; "
            f"rename {folder}/ to <name>/1/"
        )
    else:
        advice = "put the SavedModel there, for example as mymodel/1/saved_model.pb"
    yield facts.says(
        f"TensorFlow Serving looks for [name/]<digits>/saved_model.pb and there is none; {advice}"
    )


@rule(source=_LAYOUT, example="a folder with graph.pb and labels.txt")
def artifact_frozen_graph(facts: ArtifactFacts) -> Iterator[Finding]:
    """A frozen graph is turned into a SavedModel before it is served.

    It is the older form of a model, with neither a signature nor a version.
    """
    contents = facts.served_by("tensorflow")
    if contents is not None and not contents.models and _frozen_graphs(facts):
        (graph, *_) = _frozen_graphs(facts)
        yield facts.says(
            f"{graph} is a frozen graph, which TensorFlow Serving does not load; give the file "
            f"itself as artifact, or convert it: sagemaker-serving package {graph} -o model.tar.gz"
        )


@rule(
    source="keras 3.15, saving/saving_lib.py; tensorflow/core/framework/graph.proto; "
    "tensorflow/python/framework/ops.py, name_scope, and saved_model/save.py; onnx/onnx.proto; "
    "dmlc/xgboost 3.2, src/c_api/c_api.cc, XGBoosterLoadModel",
    example="a .keras file that is an HTML page, as a broken download leaves it",
)
def artifact_conversion(facts: ArtifactFacts) -> Iterator[Finding]:
    """A file is what its ending says: a Keras model, a TensorFlow graph, of ONNX or of XGBoost.

    TensorFlow takes the names in a Keras model, too. Packing fails otherwise, or the container
    loads nothing. A script may know better what it loads.
    """
    contents = facts.contents
    if contents is None:
        return
    kinds: tuple[tuple[str, Mapping[str, object]], ...] = (
        ("Keras model", contents.keras),
        ("TensorFlow graph", contents.graphs),
        ("ONNX model", contents.onnx),
        ("XGBoost model", contents.xgboost),
    )
    for kind, files in kinds:
        served = kind in ("ONNX model", "XGBoost model") and not contents.scripts
        for name, model in files.items():
            if model is None and (served or name in contents.converted):
                yield facts.says(f"{name} is no {kind}; save or download it again")
    for name, keras in contents.keras.items():
        if keras is not None and keras.unexportable and name in contents.converted:
            called = ", ".join(map(repr, keras.unexportable))
            yield facts.says(
                f"TensorFlow makes no SavedModel of {name}, where {called} names the model, a "
                "layer or an input; begin names with a letter or digit, go on with these, _, . "
                "and -, let no two inputs differ in case or signs alone"
            )


@rule(
    source="keras 3.15, saving/serialization_lib.py and legacy/saving/legacy_h5_format.py",
    example="a .keras file with a Lambda layer",
)
def artifact_keras_classes(facts: ArtifactFacts) -> Iterator[Finding]:
    """A Keras file that is converted is a whole model, of Keras' own classes.

    Packing fails otherwise. Keras loads other classes, and Lambda layers, only beside the code that
    made them; a file of weights has no model in it.
    """
    contents = facts.contents
    for name, model in contents.keras.items() if contents is not None else ():
        if contents is None or model is None or name not in contents.converted:
            continue
        if model.has_weights_alone:
            yield facts.says(
                f"{name} holds weights, and no model that they belong to; load them into the "
                f"model, {_EXPORT}"
            )
        elif model.needs:
            needs = ", ".join(model.needs[:6]) + (", …" if len(model.needs) > 6 else "")
            yield facts.says(
                f"{name} needs {needs}; Keras has that only where your code defines it; load the "
                f"model there, {_EXPORT}"
            )


_EXPORT = 'write model.export("mymodel/1"), and give the folder mymodel'


@warning(source=_LAYOUT, example="digits/1/saved_model.pb and digits/v2/saved_model.pb")
def artifact_version_folder(facts: ArtifactFacts) -> Iterator[Finding]:
    """Version folders have numbers as names; TensorFlow Serving ignores others.

    So the version that you meant is silently not served.
    """
    contents = facts.served_by("tensorflow")
    if contents is not None and contents.models:
        for folder in contents.misplaced_models:
            yield facts.says(
                f"the SavedModel in {folder}/ would never be loaded, since that name is not all "
                "digits; rename the folder to a number, or leave it out"
            )


@rule(source=_LOADER, example="an empty 1/saved_model.pb")
def artifact_saved_model_readable(facts: ArtifactFacts) -> Iterator[Finding]:
    """A saved_model.pb is a SavedModel, and has a graph tagged "serve".

    The server refuses to load it, and never answers a health check.
    """
    contents = facts.served_by("tensorflow")
    if contents is None:
        return
    for name, model in contents.saved_models.items():
        if model is None:
            yield facts.says(f"{name} is no SavedModel; export the model again")
        elif "serve" not in model.tags:
            tags = ", ".join(model.tags) or "nothing"
            yield facts.says(
                f"the graph in {name} is tagged {tags}, and TensorFlow Serving loads 'serve'; "
                "export it with that tag"
            )


@rule(
    source=f"{_LOADER}; git-lfs/git-lfs/docs/spec.md",
    example="variables.data-00000-of-00001 copied by half",
)
def artifact_damaged(facts: ArtifactFacts) -> Iterator[Finding]:
    """A SavedModel's files of variables are as long as variables.index says, which is whole.

    The server ends while it loads a file that was cut off. Nor is a file a pointer of Git LFS's,
    which a clone has without ``git lfs pull``: "invalid load key, 'v'".
    """
    contents = facts.contents
    for name, why in contents.damaged.items() if contents is not None else ():
        yield facts.says(f"{name} is damaged: {why}")


@rule(source=_LOADER, example="digits/1/saved_model.pb without variables/")
def artifact_variables(facts: ArtifactFacts) -> Iterator[Finding]:
    """A model with variables comes with ``variables/``: its index and its data.

    The graph loads and its weights do not.
    """
    contents = facts.served_by("tensorflow")
    if contents is None:
        return
    for name, model in contents.saved_models.items():
        folder = f"{PurePosixPath(name).parent}/variables"
        index = f"{folder}/variables.index" in contents.files
        data = any(other.startswith(f"{folder}/variables.data-") for other in contents.files)
        if index and not data:
            yield facts.says(
                f"{folder}/variables.index has no variables.data-* beside it; "
                "copy the whole variables/ folder"
            )
        elif not index and (data or (model is not None and model.has_variables)):
            yield facts.says(
                f"the model in {name} has variables and there is no {folder}/variables.index; "
                "copy the whole variables/ folder"
            )


@warning(source=_LAYOUT, example="two models and no default")
def artifact_several_models(facts: ArtifactFacts) -> Iterator[Finding]:
    """With several models in one archive, one is named as the default.

    Otherwise the default is the one that the container's file system lists first.
    """
    names = _model_names(facts)
    if facts.container.is_multi_model:
        return
    if len(names) > 1 and _DEFAULT_MODEL not in facts.container.environment:
        yield facts.says(
            f"there are {len(names)} models ({', '.join(names)}) and none is the default, so the "
            "file system decides which one answers; set environment: "
            f"{{{_DEFAULT_MODEL}: {names[0]}}}"
        )


@rule(source=_LAYOUT, example=f"{_DEFAULT_MODEL}: digts")
def artifact_default_model(facts: ArtifactFacts) -> Iterator[Finding]:
    """The default model is one of those in the archive.

    Every request that names no model would be answered with 404.
    """
    names = _model_names(facts)
    typed = facts.container.server.get("default_model_name")
    default = facts.container.environment.get(_DEFAULT_MODEL, typed)
    if names and default is not None and default.text is not None and default.text not in names:
        close = nearest(default.text, names)
        yield default.says(
            f"is {default.text!r}; the archive holds {', '.join(names)}; use "
            f"{close if close is not None else names[0]}"
        )


@rule(
    source=_MULTI_MODEL,
    example="multi_model: {archives: {half: half.tar.gz}}   # with half/1/saved_model.pb in it",
)
def artifact_multi_model_layout(facts: ArtifactFacts) -> Iterator[Finding]:
    """An archive of a multi-model endpoint is one model, its versions at the top: ``1/…``.

    TensorFlow Serving's container looks for versions in the archive's own folder and no deeper.
    With ``half/1/`` it finds none, and every request for the model fails once its time to load is
    over. A folder is packed so that they lie on top; a ready archive is taken as it is.
    """
    contents = facts.served_by("tensorflow")
    if contents is None or not facts.container.is_multi_model:
        return
    names = _model_names(facts)
    if len(names) > 1:
        yield facts.says(
            f"it holds {len(names)} models ({', '.join(names)}), and an archive of a multi-model "
            "endpoint is one; give each a name of its own in archives"
        )
        return
    deep = [str(path.parent) for path in _served(contents.files) if len(path.parts) > 2]
    if deep:
        yield facts.says(
            f"its model is {deep[0]}/, and in multi-model mode TensorFlow Serving looks for "
            "<digits>/saved_model.pb at the archive's top; name the model's folder, which is "
            f"packed so, or pack it: sagemaker-serving package {names[0]} --for multi-model"
        )


@rule(source=_PYTORCH, example="two .pth files and no model_fn")
def artifact_pytorch_file(facts: ArtifactFacts) -> Iterator[Finding]:
    """Without a ``model_fn`` of your own there is one TorchScript file at the top.

    The container's default loads ``model.pt``, or the only .pt or .pth file, with torch.jit.load.
    """
    contents = facts.served_by("pytorch")
    if contents is None:
        return
    top = [name for name in contents.files if re.fullmatch(r"[^/]+[.](pt|pth)", name)]
    if _loads_itself(facts) or contents.damaged.keys() & top:
        return
    variables = script_variables("pytorch", contents.scripts)
    define = "or define model_fn(model_dir)"
    for name, value in variables.items():
        define += f", or name code/{value} to the container: environment: {{{name}: {value}}}"
    if len(top) != 1 and "model.pt" not in top:
        yield facts.says(
            f"there are {len(top)} .pt or .pth files at its top and no model_fn in "
            f"{facts.script_name}; the container loads model.pt or the only one: leave one at the "
            f"top, {define}"
        )
        return
    loaded = "model.pt" if "model.pt" in top else top[0]
    if not contents.traced[loaded]:
        yield facts.says(
            f"{loaded} is not TorchScript and there is no model_fn in {facts.script_name}; the "
            f"container loads nothing else by itself: save it with torch.jit.save, {define}"
        )


def _loads_itself(facts: ArtifactFacts) -> bool:
    """Whether the script has a ``model_fn``, as far as it can be seen."""
    script, name = facts.script, facts.script_name
    if script is None:
        return facts.contents is not None and name in facts.contents.files
    return script.defines("model_fn") or script.open_ended or script.error is not None


_XGBOOST = "aws/sagemaker-xgboost-container#341, algorithm_mode/serve_utils.py"
_NO_BOOSTER = (
    *(".py", ".ipynb", ".txt", ".md", ".csv", ".html", ".log", ".sh"),
    *(".yaml", ".yml", ".toml", ".cfg", ".zip", ".gz", ".tar"),
)
_NOT_PICKLED = frozenset({"tensorflow", "keras", "pytorch", "onnx", "mxnet"})
"""Frameworks whose files hold no booster; the image unpickles any other."""


@rule(source=_XGBOOST, example="model/xgboost-model   # and nothing above")
def artifact_xgboost_files(facts: ArtifactFacts) -> Iterator[Finding]:
    """Without a script each file at the top of an XGBoost archive is a model.

    With none the server ends with "IndexError: list index out of range"; several are an ensemble.
    Files whose names begin with a dot are left out.
    """
    contents = facts.served_by("xgboost")
    if contents is None or facts.script_name is not None:
        return
    if "SAGEMAKER_PROGRAM" in facts.container.environment:
        return
    top = [name for name in contents.files if "/" not in name and not name.startswith(".")]
    wrong = [name for name in top if name.lower().endswith(_NO_BOOSTER)]
    foreign = _NOT_PICKLED.intersection(contents.frameworks)
    if foreign and "xgboost" not in contents.frameworks:
        yield facts.says(
            f"it holds a model of {' and '.join(sorted(foreign))}, which XGBoost's image does not "
            "load; give the framework of that model, or a model of XGBoost's"
        )
    elif not top:
        deep = next((name for name in contents.files if not name.startswith("code/")), None)
        yield facts.says(
            "there is no file at its top, where XGBoost's image loads each as a model; "
            + ("add the model" if deep is None else f"move {deep} there")
        )
    elif wrong:
        yield facts.says(
            f"XGBoost's image loads each file at the top as a model, and {wrong[0]} is none; "
            "remove it, or put it into a folder"
        )
    if facts.contents is not None and facts.contents.script is not None:
        yield facts.says(
            "XGBoost's image runs its own algorithm, and code/inference.py would never be called; "
            "name it: environment: {SAGEMAKER_PROGRAM: inference.py, SAGEMAKER_SUBMIT_DIRECTORY: "
            "/opt/ml/model/code}"
        )


_HUGGING_FACE = (
    "aws/sagemaker-huggingface-inference-toolkit 2.6.0, handler_service.py and #9, #26, #108"
)
_WEIGHTS = re.compile(
    r"(model|pytorch_model|adapter_model|diffusion_pytorch_model)[^/]*[.](safetensors|bin)|"
    r"tf_model[.]h5|flax_model[.]msgpack|.*[.](pt|onnx|neuron)|.*[.]index[.]json"
)
_TOKENIZERS = re.compile(
    r"tokenizer.*|vocab[.].*|merges[.]txt|spiece[.]model|sentencepiece.*|.*processor_config[.]json|"
    r"spm[.].*|.*[.]tiktoken"
)


@rule(source=_HUGGING_FACE, example="bert/config.json and bert/model.safetensors   # in a folder")
def artifact_huggingface_files(facts: ArtifactFacts) -> Iterator[Finding]:
    """Without a ``model_fn`` of your own the top has what ``transformers`` loads.

    That is ``config.json`` (of diffusers ``model_index.json``), weights, and the tokenizer's or
    processor's files. Without a config the container asks for HF_TASK, which alone does not help.
    """
    contents = next((found for each in HUGGING_FACE if (found := facts.served_by(each))), None)
    if contents is None or facts.own_image or _loads_itself(facts):
        return
    environment = facts.container.environment
    top = [name for name in contents.files if "/" not in name]
    adapter = "adapter_config.json" in top and "HF_TASK" in environment
    if "HF_MODEL_ID" in environment or "model_index.json" in top or adapter:
        return
    if "config.json" not in top:
        deep = [name for name in contents.files if PurePosixPath(name).name == "config.json"]
        what = f"move the files of {PurePosixPath(deep[0]).parent}/ there" if deep else "add them"
        yield facts.says(
            "there is no config.json at its top, and no model_fn: 'You need to define one of the "
            f"following … as env HF_TASK'; save_pretrained() writes what is needed; {what}, or "
            "define model_fn(model_dir) in code/inference.py"
        )
        return
    if facts.framework_name != "huggingface":
        return  # what is compiled for Neuron may lie in folders
    for what, pattern in (("weights", _WEIGHTS), ("tokenizer or processor", _TOKENIZERS)):
        if not any(pattern.fullmatch(name) for name in top):
            yield facts.says(
                f"config.json has no {what} beside it, and there is no model_fn; save the {what}, "
                "too: save_pretrained(folder), or define model_fn(model_dir) in code/inference.py"
            )


@rule(
    source="aws/sagemaker-mxnet-inference-toolkit addf279, handler_service.py and "
    "default_inference_handler.py",
    example="model-symbol.json and model-0000.params   # without code/inference.py",
)
def artifact_mxnet_files(facts: ArtifactFacts) -> Iterator[Finding]:
    """MXNet's image has a script, which may be empty, and one that loads the model or its files.

    Its handler imports the script before all else. The default ``model_fn`` loads
    ``model-symbol.json``, ``model-0000.params`` and ``model-shapes.json`` from the top.
    """
    contents, name = facts.served_by("mxnet"), facts.script_name
    if contents is None or name is None or facts.own_image:
        return
    if name not in contents.files:
        yield facts.says(
            f"there is no {name}, which MXNet's image imports before all else; add it, empty where "
            "the defaults suffice"
        )
    missing = [each for each in _MXNET_FILES if each not in contents.files]
    if missing and not _loads_itself(facts):
        yield facts.says(
            f"there is no {', no '.join(missing)} at its top, which MXNet's image loads without a "
            "model_fn; name the files so, or define model_fn(model_dir)"
        )


_MXNET_FILES = ("model-symbol.json", "model-0000.params", "model-shapes.json")
_JUDGED = (
    *("tensorflow", "pytorch", "mxnet", "sklearn", "xgboost", "autogluon", "chainer"),
    *HUGGING_FACE,
    *NEEDS_ID,
    *("stabilityai", "ray-serve", "sagemaker-tritonserver"),
)


@note(source="this project: sagemaker-serving docs archives", example="framework: linear-learner")
def artifact_unjudged(facts: ArtifactFacts) -> Iterator[Finding]:
    """What an image looks for in its archive is known here; of others a note says that it is not.

    The archive itself is judged: that it can be unpacked, and that it fits its instance.
    """
    framework = facts.framework_name
    if facts.contents is None or facts.compiled or facts.own_image or framework in _JUDGED:
        return
    if framework in frameworks() or facts.container.framework.text == "":
        named = "this image" if facts.container.image_uri.given else f"{framework}'s image"
        which = named if framework else "a server"
        yield facts.says(
            f"what {which} looks for in an archive is not known here, so that its files were not "
            + ("judged" if framework else "judged; say which with --framework")
        )


def _frozen_graphs(facts: ArtifactFacts) -> list[str]:
    contents = facts.contents
    return [name for name, graph in contents.graphs.items() if graph] if contents else []


def _served(files: Iterable[str]) -> Iterator[PurePosixPath]:
    for path in map(PurePosixPath, files):
        if path.name == "saved_model.pb" and is_version(path.parent.name):
            yield path


def _model_names(facts: ArtifactFacts) -> list[str]:
    contents = facts.served_by("tensorflow")
    return sorted({found.model for found in contents.models}) if contents is not None else []
