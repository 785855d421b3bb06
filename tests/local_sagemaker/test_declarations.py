"""What is said of images: which declaration wins, and what is wrong with others."""

from __future__ import annotations

import pytest

from sagemaker_serving.errors import Mistake
from sagemaker_serving.local_sagemaker.engines.declarations import read_declarations
from sagemaker_serving.local_sagemaker.engines.engines import Engines
from tests.local_aws.aws import StandIn

ECR = "763104351884.dkr.ecr.eu-west-1.amazonaws.com"
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
