"""Which program serves an image of AWS's, and by which version's contract."""

from __future__ import annotations

import pytest

from sagemaker_serving.errors import Mistake
from sagemaker_serving.local_sagemaker.engines.declarations import read_declarations
from sagemaker_serving.local_sagemaker.engines.engines import Engines
from sagemaker_serving.local_sagemaker.engines.images import NoEngine, engine_of, split_image
from tests.local_aws.stand_in import StandIn

ECR = "763104351884.dkr.ecr.eu-west-1.amazonaws.com"
HUGGING_FACE = "2.1.0-transformers4.37.0-cpu-py310-ubuntu22.04"


@pytest.mark.parametrize(
    ("image", "program", "version"),
    [
        (f"{ECR}/tensorflow-inference:2.19-cpu", "tensorflow", "2.19"),
        (
            f"{ECR}/tensorflow-inference:2.19.0-gpu-py312-cu122-ubuntu22.04-sagemaker-v1.2",
            "tensorflow",
            "2.19.0",
        ),
        (f"{ECR}/tensorflow-inference:2.20-cpu-py312", "tensorflow", "2.20"),
        (f"{ECR}/tensorflow-inference:2.1.3-gpu", "tensorflow", "2.1.3"),
        (f"{ECR}/tensorflow-inference-graviton:2.16.1-cpu", "tensorflow", "2.16.1"),
        (f"{ECR}/tensorflow-inference-eia:2.3.0-cpu", "tensorflow", "2.3.0"),
        (f"{ECR}/tensorflow-inference-neuronx:2.10-neuronx-py310", "tensorflow", "2.10"),
        (f"{ECR}/sagemaker-tensorflow-serving:1.4.1-gpu", "tensorflow", "1.4.1"),
        (f"{ECR}/sagemaker-tensorflow-serving:1.12-cpu", "tensorflow", "1.12"),
        (f"{ECR}/sagemaker-tensorflow-serving-eia:1.12-cpu", "tensorflow", "1.12"),
        (f"{ECR}/sagemaker-inference-tensorflow:2.9.2-cpu-py3", "tensorflow", "2.9.2"),
        (f"{ECR}/sagemaker-neo-tensorflow:1.15.0-inf-py3", "tensorflow", "1.15.0"),
        ("mirror.example:5000/copies/tensorflow-inference:2.8-cpu", "tensorflow", "2.8"),
        (f"{ECR}/pytorch-inference:2.6.0-cpu-py312", "pytorch", "2.6.0"),
        (f"{ECR}/pytorch-inference-graviton:2.3.1-cpu", "pytorch", "2.3.1"),
        (f"{ECR}/sagemaker-pytorch:1.1.0-cpu-py3", "pytorch", "1.1.0"),
        (f"{ECR}/sagemaker-inference-pytorch:2.0-cpu-py3", "neo-pytorch", None),
        (f"{ECR}/sagemaker-neo-pytorch:1.9-inf-py3", "neo-pytorch", None),
        (f"{ECR}/sagemaker-neo-onnx:1.5.0-cpu-py3", "neo-onnx", None),
        (f"{ECR}/xgboost-neo:latest", "neo-xgboost", None),
        (f"{ECR}/sagemaker-scikit-learn:1.4-2-cpu-py3", "sklearn", None),
        (f"{ECR}/sagemaker-xgboost:3.2-0", "xgboost", None),
        (f"{ECR}/huggingface-pytorch-inference:{HUGGING_FACE}", "huggingface", None),
    ],
)
def test_repository_and_tag_tell_program_and_contract(
    image: str, program: str, version: str | None
) -> None:
    engine = engine_of(image)
    assert (engine.program, engine.container_version, engine.note) == (program, version, "")


@pytest.mark.parametrize(
    ("image", "version", "said"),
    [
        ("tensorflow-inference:2.99-cpu", "2.99", "the contract of the nearest, 2.20"),
        ("tensorflow-inference:2.17-cpu", "2.17", "the contract of the nearest, 2.16"),
        ("tensorflow-inference:1.1-cpu", "1.1", "the contract of the nearest, 1.13"),
        ("tensorflow-inference:latest", None, "names no version in its tag"),
        ("tensorflow-inference", None, "served by the newest contract"),
        (f"tensorflow-inference@sha256:{'0' * 64}", None, "served by the newest contract"),
        ("pytorch-inference:9.1-cpu", "9.1", "the contract of the nearest, 2.6"),
    ],
)
def test_a_version_that_is_not_known_is_said(image: str, version: str | None, said: str) -> None:
    engine = engine_of(f"{ECR}/{image}")
    assert engine.container_version == version
    assert said in engine.note
    assert image in engine.note


@pytest.mark.parametrize(
    ("repository", "framework"),
    [
        ("sagemaker-inference-mxnet", "neo-mxnet"),
        ("sagemaker-neo-mxnet", "inferentia-mxnet"),
        ("mxnet-inference", "mxnet"),
        ("sagemaker-neo-keras", "neo-keras"),
        ("image-classification-neo", "image-classification-neo"),
        ("huggingface-pytorch-tgi-inference", "huggingface-llm-neuronx and huggingface-llm"),
        ("huggingface-pytorch-inference-neuronx", "huggingface-neuronx"),
        ("sagemaker-tensorflow", "tensorflow-legacy"),
        ("vllm", "vllm-omni and vllm-server and vllm"),
    ],
)
def test_an_image_of_aws_s_that_nothing_here_runs_is_told(repository: str, framework: str) -> None:
    with pytest.raises(NoEngine) as refused:
        engine_of(f"{ECR}/{repository}:1.8-cpu-py3")
    assert str(refused.value) == (
        f"this machine has no engine for {framework}, which {repository} serves"
    )


@pytest.mark.parametrize(
    "image",
    [
        f"{ECR}/mine:1",
        "mine",
        "team/server:2.19-cpu",
        f"{ECR}/my-tensorflow-inference:2.19-cpu",
        f"{ECR}/tensorflow-inference-of-mine:2.19-cpu",
        f"{ECR}/tensorflow-inference/fork:2.19-cpu",
    ],
)
def test_an_image_of_one_s_own_is_nobody_s_guess(image: str) -> None:
    with pytest.raises(NoEngine, match="which is no repository of AWS's"):
        engine_of(image)


@pytest.mark.parametrize(
    ("image", "parts"),
    [
        ("docker.example.com:5000/team/server:7", ("docker.example.com:5000", "team/server", "7")),
        ("localhost/server:7", ("localhost", "server", "7")),
        ("team/server", ("", "team/server", "")),
        ("server:a@sha256:0", ("", "server", "a")),
        (f"{ECR}/a/b/c@sha256:0", (ECR, "a/b/c", "")),
    ],
)
def test_an_image_s_name_has_three_parts(image: str, parts: tuple[str, str, str]) -> None:
    assert split_image(image) == parts


OWN = "123456789012.dkr.ecr.eu-west-1.amazonaws.com"


def test_a_registry_s_own_repository_wins_over_one_of_any() -> None:
    declared = {"mine": "stub", f"{OWN}/mine": "pytorch"}
    engines = Engines(StandIn.start, declared)
    assert engines.of(f"{OWN}/mine:1").program == "pytorch"
    assert engines.of("elsewhere.example/mine@sha256:0").program == "stub"


def test_a_declaration_wins_over_what_aws_s_name_says() -> None:
    engines = Engines(StandIn.start, {"tensorflow-inference": "stub"})
    assert engines.of(f"{ECR}/tensorflow-inference:2.19-cpu").program == "stub"


def test_a_command_of_several_lines_is_refused() -> None:
    with pytest.raises(Mistake, match="a command is one line; put several into a script"):
        read_declarations({"--engine": ["mine=command:python\nserver.py"]})


def test_everything_that_is_wrong_with_declarations_is_said_at_once() -> None:
    with pytest.raises(Mistake) as refused:
        read_declarations(
            {
                "--engine": [
                    *("mine", "mine:7=stub", "a=tensorfow", "b=command:", "c=triton:2.6"),
                    *("d=tensorflow:x", "e=stub", "e=pytorch", "Bad=stub", "=stub"),
                ]
            }
        )
    told = str(refused.value).splitlines()
    assert [line.partition(": ")[2][:45] for line in told] == [
        "it must be REPOSITORY=ENGINE, as team/server=",
        "'mine:7' is no repository's name; leave the t",
        "there is no engine 'tensorfow'; ENGINE is ten",
        "it names no program; write one after command:",
        "'2.6' is too much; tensorflow and pytorch tak",
        "'x' is no framework version; write one like t",
        "e was given stub before",
        "'Bad' is no repository's name; as team/server",
        "'' is no repository's name; as team/server",
    ]
    assert told[0].startswith("--engine is 'mine': ")
    assert told[2].endswith("did you mean tensorflow")
