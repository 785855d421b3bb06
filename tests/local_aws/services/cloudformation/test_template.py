from __future__ import annotations

import json
from threading import Barrier, Event

import pytest

from local_aws.protocol import AwsError
from local_aws.services.cloudformation.engine.blueprint import Existing
from local_aws.services.cloudformation.engine.graph import Graph, run
from local_aws.services.cloudformation.engine.names import StackNames, Surroundings
from local_aws.services.cloudformation.engine.stacks import Resource
from local_aws.services.cloudformation.engine.template import parse
from local_aws.template import Evaluator, needed

YAML = """
AWSTemplateFormatVersion: 2010-09-09
Conditions:
  Both: !And [!Condition One, !Equals [!Ref P, "x"]]
Resources:
  Topic:
    Type: AWS::SNS::Topic
    Properties:
      TopicName: !Sub "${AWS::StackName}-topic"
      DisplayName: !Join ["", [!GetAtt Other.TopicName, !Select [0, !Split [",", "a,b"]]]]
      KmsMasterKeyId: !If [Both, on, !Ref AWS::NoValue]
"""


def test_yaml_short_forms_are_spelled_out() -> None:
    template = parse(YAML)

    assert template.resources["Topic"]["Properties"] == {
        "TopicName": {"Fn::Sub": "${AWS::StackName}-topic"},
        "DisplayName": {
            "Fn::Join": [
                "",
                [
                    {"Fn::GetAtt": ["Other", "TopicName"]},
                    {"Fn::Select": [0, {"Fn::Split": [",", "a,b"]}]},
                ],
            ]
        },
        "KmsMasterKeyId": {"Fn::If": ["Both", True, {"Ref": "AWS::NoValue"}]},
    }
    assert template.conditions["Both"] == {
        "Fn::And": [{"Condition": "One"}, {"Fn::Equals": [{"Ref": "P"}, "x"]}]
    }


def test_yaml_dates_stay_text() -> None:
    assert parse(YAML).document["AWSTemplateFormatVersion"] == "2010-09-09"


def test_json_and_yaml_give_the_same_document() -> None:
    assert parse(json.dumps(parse(YAML).document)).document == parse(YAML).document


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('{"Resources": ', r"JSON not well-formed\. \(line 1, column 15\)"),
        ("Resources: [", r"YAML not well-formed\. \(line 2, column 1\)"),
        ("Resources:\n  A: {Type: T}\n  A: {Type: T}", r"YAML not well-formed"),
        ("just text", "unsupported structure"),
        ("{}", "At least one Resources member must be defined"),
        ('{"Resources": {"A": {"Type": "T"}}, "Resource": {}}', r"properties \[Resource\]"),
        ('{"Resources": {"A-b": {"Type": "T"}}}', "Resource name A-b is non alphanumeric"),
        ('{"Resources": {"A": {}}}', "/Resources/A.*Type member"),
        ('{"Resources": {"A": {"Type": "T", "Propertys": {}}}}',
         "^Invalid template resource property 'Propertys'$"),
        ('{"Resources": {"A": {"Type": "T", "Properties": []}}}', "/Resources/A/Properties"),
        ('{"Resources": {"A": {"Type": "T", "Properties": {"B": [1, null]}}}}',
         r"/Resources/A/Properties/B/1\] 'null' values are not allowed"),
        ('{"Outputs": null, "Resources": {}}', r"^\[/Outputs\] 'null' values are not allowed"),
        ('{"Resources": "", "Outputs": ""}', "Any Resources member must be an object"),
        ('{"Resources": {"A": 1}}', "Any Resources member must be an object"),
        ('{"Resources": {"A": {"Type": "T"}}, "Outputs": {"O": {"Value": null, "X": null}}}',
         r"^\[/Outputs/O/Value\] 'null' values are not allowed in templates$"),
        ('{"Resources": {"A": {"Type": "T"}}, "Outputs": {"O": {}}}',
         "Every Outputs member must contain a Value object$"),
        ('{"Resources": {"A": {"Type": "T"}}, "Parameters": {"AWS::NoValue": {}}}',
         "Parameter name AWS::NoValue is non alphanumeric"),
        ('{"Mappings": {"M": "a"}}', "Every Mappings member M must be a map"),
        ('{"Mappings": {"M": {"A": "a"}}}', "Every Mappings member A must be a map"),
        ('{"Mappings": {"M": {"A": {"B": {"Ref": "C"}}}}}',
         "Every Mappings attribute must be a String or a List"),
        (json.dumps({"Resources": {f"R{n}": {"Type": "T"} for n in range(501)}}),
         "Number of resources, 501, is greater than maximum allowed, 500"),
    ],
)  # fmt: skip
def test_a_malformed_template_is_refused_in_aws_words(body: str, message: str) -> None:
    with pytest.raises(AwsError, match=message) as refusal:
        parse(body)
    assert refusal.value.code == "ValidationError"


def test_sub_variables_are_not_references() -> None:
    resource = {"Properties": {"A": {"Fn::Sub": ["${Name} ${B}", {"Name": {"Ref": "C"}}]}}}

    assert needed(resource) == {"B", "C"}


def test_both_branches_of_a_condition_count() -> None:
    resource = {"Properties": {"A": {"Fn::If": ["X", {"Ref": "B"}, {"Fn::GetAtt": "C.Arn"}]}}}

    assert needed(resource) == {"B", "C"}


def test_independent_names_are_worked_on_together() -> None:
    together = Barrier(3, timeout=60)

    def work(name: str) -> None:
        together.wait()

    assert run(Graph({"a": set(), "b": set(), "c": set()}), work) == {}


def test_after_a_failure_nothing_further_begins_when_told_to_stop() -> None:
    stop = Event()
    done: list[str] = []

    def work(name: str) -> None:
        if name == "a":
            raise ValueError(name)
        stop.wait(60)
        done.append(name)

    run(Graph({"a": set(), "x": set(), "y": {"x"}}), work, stop=stop)

    assert done == ["x"]


SURROUNDINGS = Surroundings("mine", "arn:stack", "eu-west-1", "123456789012", ("arn:topic",))


def test_a_stack_names_its_topics_and_an_attribute_that_a_resource_lacks_is_refused() -> None:
    bucket = Resource("Bucket", "AWS::S3::Bucket", "b-1", attributes={"Arn": "arn:b"})
    names = StackNames(SURROUNDINGS.pseudo_parameters(), Existing({"Bucket": bucket}), str)
    evaluator = Evaluator(names, mappings={}, conditions={})
    assert evaluator.evaluate({"Ref": "AWS::NotificationARNs"}) == ["arn:topic"]
    with pytest.raises(AwsError, match="Bucket does not support attribute type Nope"):
        evaluator.evaluate({"Fn::GetAtt": ["Bucket", "Nope"]})
