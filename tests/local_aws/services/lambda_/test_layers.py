"""Layers are published, mounted beside a function's code, and outlive what names them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.local_aws.functions import Functions, zipped

ARN = "arn:aws:lambda:eu-west-1:123456789012:layer"


def publish(functions: Functions, name: str, files: dict[str, str]) -> str:
    """A layer of these files: its version's ARN."""
    made = functions.api.publish_layer_version(
        LayerName=name, Content={"ZipFile": zipped(files)}, CompatibleRuntimes=["python3.12"]
    )
    return str(made["LayerVersionArn"])


def test_a_layer_lies_below_opt_and_a_later_one_over_an_earlier(functions: Functions) -> None:
    source = """
import importable, os
def handler(event, context):
    try:
        open("/opt/new", "w")
    except OSError as error:
        said = error.strerror
    return importable.NAME, open("/opt/text").read(), said, os.environ["LD_LIBRARY_PATH"]
"""
    layers = [
        publish(functions, "one", {"python/importable.py": "NAME = 'one'", "text": "one"}),
        publish(functions, "two", {"text": "two"}),
    ]
    answer = functions.run("layered", source, Layers=layers)
    said = ["one", "two", "Read-only file system", "/var/task:/var/task/lib:/opt/lib"]
    assert answer.payload == said
    kept = functions.api.get_function_configuration(FunctionName="layered")["Layers"]
    assert [each["Arn"] for each in kept] == layers
    functions.api.update_function_configuration(FunctionName="layered", Layers=[])
    functions.in_place("layered")
    assert functions.invoke("layered").payload["errorType"] == "Runtime.ImportModuleError"
    assert "Layers" not in functions.api.get_function_configuration(FunctionName="layered")


@pytest.mark.parametrize("file", ["index.js", "index.mjs"])
def test_a_layers_modules_are_found_by_nodejs(functions: Functions, file: str) -> None:
    layer = publish(
        functions,
        "modules",
        {"nodejs/node_modules/of-a-layer/index.js": "exports.name = 'of a layer'"},
    )
    source = {
        "index.js": "exports.handler = async () => require('of-a-layer').name",
        "index.mjs": "import it from 'of-a-layer'; export const handler = async () => it.name",
    }[file]
    name = file.replace(".", "-")
    functions.create(
        name,
        "",
        Runtime="nodejs22.x",
        Handler="index.handler",
        Layers=[layer],
        Code={"ZipFile": zipped({file: source})},
    )
    assert functions.invoke(name).payload == "of a layer"


def test_a_layers_scripts_begin_by_the_path_that_aws_has(functions: Functions) -> None:
    layer = publish(functions, "script", {"bin/said": "#!/var/lang/bin/python\nprint('said')"})
    source = """
import subprocess
def handler(event, context):
    return subprocess.run(["python", "/opt/bin/said"], capture_output=True, text=True).stdout
"""
    assert functions.run("script", source, Layers=[layer]).payload == "said\n"


def test_versions_are_counted_and_deleted(functions: Functions) -> None:
    api = functions.api
    one, two = (publish(functions, "counted", {"a": text}) for text in "12")
    assert (one, two) == (f"{ARN}:counted:1", f"{ARN}:counted:2")
    assert api.get_layer_version_by_arn(Arn=one)["Content"]["CodeSize"] > 0
    functions.run("keeps", "def handler(event, context): return 1", Layers=[two])
    api.delete_layer_version(LayerName="counted", VersionNumber=2)
    with pytest.raises(api.exceptions.ResourceNotFoundException):
        api.get_layer_version(LayerName="counted", VersionNumber=2)
    assert functions.invoke("keeps").payload == 1
    assert publish(functions, "counted", {"a": "3"}) == f"{ARN}:counted:3"


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ([f"{ARN}:none:1"], f"Layer version {ARN}:none:1 does not exist."),
        (
            [f"{ARN}:refused:1", f"{ARN}:refused:1"],
            "Two different versions of the same layer are not allowed to be referenced in the same "
            f"function. {ARN}:refused:1 and {ARN}:refused:1 are versions of the same layer.",
        ),
        ([f"{ARN}:l{n}:1" for n in range(6)], "Cannot reference more than 5 layers."),
        (
            [f"{ARN}:refused:1".replace("eu-west-1", "us-east-1")],
            "Layers are not in the same region as the function. Layers are expected to be in "
            "region eu-west-1.",
        ),
        (
            ["arn:aws:lambda:eu-west-1:017000801446:layer:Powertools:7"],
            "the local AWS has no layers of account 017000801446: arn:aws:lambda:eu-west-1:"
            "017000801446:layer:Powertools:7; publish the layer's zip to it, and name that",
        ),
    ],
)
def test_layers_that_a_function_cannot_have_are_refused(
    functions: Functions, layers: list[str], message: str
) -> None:
    publish(functions, "refused", {"a": "1"})
    with pytest.raises(functions.api.exceptions.InvalidParameterValueException) as refusal:
        functions.create("refused", "", Layers=layers)
    error: Any = refusal.value.response["Error"]
    assert error["Message"] == message
