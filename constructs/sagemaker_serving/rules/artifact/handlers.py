"""Rules on the user's script: the container finds it, it parses, and defines what is called."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from local_aws.template import Unknown
from sagemaker_serving.archive.handlers import (
    BY_VARIABLES,
    NEO_CONTRACT,
    SCRIPT,
    SCRIPT_VARIABLES,
    HandlerContract,
    handler_contract,
)
from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.facts import ArtifactFacts, ContainerFacts, framework_name

_TFS = "aws/deep-learning-containers e0ecede, TensorFlow python_service.py"
_CONTAINERS = f"{_TFS}; aws/sagemaker-inference-toolkit, transformer.py"
_NEO_COMPILED = ("onnx", "xgboost", "keras")


@rule(source="Python's own parser", example="code/inference.py: def handler(:")
def handler_parses(facts: ArtifactFacts) -> Iterator[Finding]:
    """``code/inference.py`` is Python.

    The worker fails at its import, again and again.
    """
    script = facts.script
    if script is not None and script.error is not None:
        line = f" line {script.error_line}" if script.error_line is not None else ""
        yield facts.says(f"{facts.script_name}{line} does not parse: {script.error}; correct it")


@rule(source=_CONTAINERS, example="input_handler without output_handler")
def handler_functions(facts: ArtifactFacts) -> Iterator[Finding]:
    """``code/inference.py`` defines the functions that its container calls, all of them.

    Without them the container's worker does not start, or the script does nothing.
    """
    script, contract = facts.script, _contract(facts)
    if script is None or contract is None or script.error is not None or script.open_ended:
        return
    if contract.required is not None:
        return  # handler_required says it
    if not any(all(map(script.defines, choice)) for choice in contract.choices):
        wanted = " or ".join(" + ".join(choice) for choice in contract.choices)
        half = next((c for c in contract.choices if any(map(script.defines, c))), None)
        if half is not None:
            here = " and ".join(name for name in half if script.defines(name))
            missing = next(name for name in half if not script.defines(name))
            yield facts.says(
                f"{facts.script_name} defines {here} and not {missing}; {contract.container} "
                f"calls both: add {missing}"
            )
            return
        found = ", ".join(script.functions) or "none"
        yield facts.says(
            f"{facts.script_name} defines none of what {contract.container} calls: {wanted} "
            f"(its functions: {found}); define them at its top level"
        )


@rule(
    source="aws/sagemaker-inference-toolkit, transformer.py",
    example="transform_fn beside predict_fn",
)
def handler_transform_alone(facts: ArtifactFacts) -> Iterator[Finding]:
    """``transform_fn`` replaces input_fn, predict_fn and output_fn, and cannot stand beside them.

    The toolkit refuses to start with both.
    """
    script, contract = facts.script, _contract(facts)
    if script is None or contract is None or contract.alone is None:
        return
    others = [name for name in ("input_fn", "predict_fn", "output_fn") if script.defines(name)]
    if script.defines(contract.alone) and others:
        yield facts.says(
            f"{facts.script_name} defines {contract.alone} and {others[0]}; the container refuses "
            "both together: keep one way"
        )


@rule(source=_CONTAINERS, example="def handler(data):")
def handler_arguments(facts: ArtifactFacts) -> Iterator[Finding]:
    """The functions of ``code/inference.py`` take as many arguments as they are called with.

    Otherwise the container's call fails at the first request.
    """
    script, contract = facts.script, _contract(facts)
    if script is None or contract is None:
        return
    for name, arguments in contract.arguments.items():
        function = script.functions.get(name)
        if function is None or contract.can_call(name, function):
            continue
        given = contract.given(name, function)
        if given is None:
            said = f"has {function.parameters} parameters, and {contract.container} calls it with "
            said += f"{len(arguments)}, or with {len(arguments) + 1} where it has one more"
        else:
            said = f"cannot be called with {given} argument{'' if given == 1 else 's'}, as "
            said += f"{contract.container} does"
        yield facts.says(
            f"{facts.script_name}:{function.line} {name} {said}; "
            f"write def {name}({', '.join(arguments)}):"
        )


@warning(source=_CONTAINERS, example="inference.py at the top")
def handler_place(facts: ArtifactFacts) -> Iterator[Finding]:
    """The script lies where the container looks: ``code/inference.py``, or SAGEMAKER_PROGRAM's.

    It looks in code/ only, and without the script takes its own functions, or none.
    """
    contents, wanted, contract = facts.contents, facts.script_name, _contract(facts)
    if contents is None or facts.own_image or wanted is None or wanted in contents.files:
        return
    if contract is not None and contract.required is not None:
        return  # handler_required says it
    if facts.served_by("ray-serve"):
        return  # an application may import it from anywhere
    last = wanted.rpartition("/")[2]
    found = [name for name in contents.files if name.rpartition("/")[2] == last]
    beside = [name for name in contents.files if _SCRIPT_BESIDE.fullmatch(name)]
    if found and not found[0].startswith("code/lib/"):
        yield facts.says(f"{found[0]} would never be called; move it to {wanted}")
    elif beside and not found and wanted == SCRIPT:
        yield facts.says(
            f"{beside[0]} would never be called, since there is no {wanted}; rename it, or remove "
            "code/"
        )
    elif wanted != SCRIPT:
        program = facts.container.environment["SAGEMAKER_PROGRAM"]
        yield program.finding(
            f"SAGEMAKER_PROGRAM is {program.text!r}, and the archive has no {wanted}; add it, or "
            "name a script in code/"
        )


_SCRIPT_BESIDE = re.compile(r"code/(?!__init__[.])[^/]+[.](py|ipynb)")


@warning(
    source="aws/sagemaker-inference-toolkit, model_server.py; aws/deep-learning-containers "
    "e0ecede, TensorFlow serve.py; aws/sagemaker-python-sdk#1726",
    example="requirements.txt at the top",
)
def handler_requirements_place(facts: ArtifactFacts) -> Iterator[Finding]:
    """What is to be installed stands in ``code/requirements.txt``.

    The containers look for no other: "No module named 'transformers'".
    """
    contents, wanted = facts.contents, "code/requirements.txt"
    if contents is None or facts.own_image or _contract(facts) is None or wanted in contents.files:
        return
    found = [name for name in contents.files if name.rpartition("/")[2] == "requirements.txt"]
    if found and not found[0].startswith("code/"):
        yield facts.says(f"{found[0]} would never be installed; move it to {wanted}")


@rule(
    source="aws/sagemaker-scikit-learn-container and -xgboost-container, handler_service.py: "
    '"Please provide a model_fn implementation"',
    example="framework: sklearn   # with model.joblib, and no code/inference.py",
)
def handler_required(facts: ArtifactFacts) -> Iterator[Finding]:
    """An image that loads no model by itself has a script that does: it defines ``model_fn``.

    So are scikit-learn's, AutoGluon's, and XGBoost's with a script. The container starts, and
    fails its health checks.
    """
    contents, contract, wanted = facts.contents, _contract(facts), facts.script_name
    given, open_ = facts.container.environment, facts.container.environment_fact.value
    if wanted is None and not given.keys() & SCRIPT_VARIABLES and not isinstance(open_, Unknown):
        # handler_named says that variables have to name it; XGBoost's image does without.
        wanted = None if facts.framework_name == "xgboost" else SCRIPT
    if contents is None or contract is None or contract.required is None or wanted is None:
        return
    script, needed = contents.scripts.get(wanted), contract.required
    last = PurePosixPath(wanted).name
    if script is None and wanted not in contents.files:
        found = [name for name in contents.files if PurePosixPath(name).name == last]
        what = f"move {found[0]} there" if found else f"add it, with a {needed}(model_dir)"
        yield facts.says(
            f"there is no {wanted}, and the container loads no model without it; {what}"
        )
    elif script is not None and not (
        script.defines(needed) or script.open_ended or script.error is not None
    ):
        yield facts.says(
            f"{wanted} defines no {needed}, and the container has none of its own; write "
            f"def {needed}({', '.join(contract.arguments[needed])}): that returns the model"
        )


@rule(
    source="sagemaker-containers 2.8.6, _env.py and _modules.py; "
    "aws/sagemaker-scikit-learn-container#77",
    example="framework: sklearn   # without SAGEMAKER_PROGRAM",
)
def handler_named(container: ContainerFacts) -> Iterator[Finding]:
    """Variables name the script to an image that calls none by itself.

    scikit-learn's ends as it starts without SAGEMAKER_PROGRAM. Without SAGEMAKER_SUBMIT_DIRECTORY
    it looks into /opt/ml/code, where nothing is, and so does XGBoost's.
    """
    framework = framework_name(container)
    given = container.environment
    if framework not in BY_VARIABLES or container.environment_fact.unknown:
        return
    missing = [name for name in SCRIPT_VARIABLES if name not in given]
    if missing and (framework != "xgboost" or "SAGEMAKER_PROGRAM" in given):
        named = container.image_uri if container.image_uri.given else container.framework
        example = ", ".join(f"{name}: {SCRIPT_VARIABLES[name]}" for name in missing)
        yield named.says(
            f"is {named.text!r}, whose image finds its script by variables alone; add environment: "
            f"{{{example}}}"
        )


@warning(
    source="sagemaker-containers, _files.py; sagemaker-python-sdk 2.200.0, using_pytorch.rst: "
    '"For versions 1.1 and lower", "requirements.txt # only for versions 1.3.1 and higher"',
    example='framework_version: "1.1"   # of PyTorch, with code/inference.py',
)
def handler_before_code(facts: ArtifactFacts) -> Iterator[Finding]:
    """PyTorch's image reads ``code/`` from 1.2 on, and its requirements.txt from 1.3.1 on.

    The image of 1.1 and older takes its script from SAGEMAKER_SUBMIT_DIRECTORY alone. That of 1.2
    installs nothing, and the script's imports fail.
    """
    contents, version = facts.served_by("pytorch"), facts.container.framework_version
    found = re.match(r"([0-9]+)\.([0-9]+)", version.text or "")
    if contents is None or found is None or facts.own_image:
        return
    release = (int(found[1]), int(found[2]))
    code = [name for name in contents.files if name.startswith("code/")]
    submitted = "SAGEMAKER_SUBMIT_DIRECTORY" in facts.container.environment
    if release < (1, 2) and code and not submitted:
        yield version.says(
            f"is {version.text!r}, whose image does not look into code/, where {code[0]} is; use "
            "1.2 or newer, or name the folder in SAGEMAKER_SUBMIT_DIRECTORY: /opt/ml/model/code"
        )
    elif release == (1, 2) and "code/requirements.txt" in code:
        yield version.says(
            f"is {version.text!r}, whose image installs no code/requirements.txt; use 1.3 or "
            "newer, or put the packages themselves into code/"
        )


def _contract(facts: ArtifactFacts) -> HandlerContract | None:
    framework = facts.image_framework
    if facts.compiled and (framework in _NEO_COMPILED or facts.target_device == "ml_inf1"):
        return NEO_CONTRACT
    return handler_contract(framework, facts.container.framework_version.text)
