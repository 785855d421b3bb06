"""What a stack's own names stand for, beside what `tests/local_aws/template` holds of any."""

from __future__ import annotations

import pytest

from local_aws.protocol import AwsError
from local_aws.services.cloudformation.engine.blueprint import Existing
from local_aws.services.cloudformation.engine.names import StackNames, Surroundings
from local_aws.services.cloudformation.engine.stacks import Resource
from local_aws.template import Evaluator

SURROUNDINGS = Surroundings("mine", "arn:stack", "eu-west-1", "123456789012", ("arn:topic",))


def test_a_stack_names_its_topics_and_an_attribute_that_a_resource_lacks_is_refused() -> None:
    bucket = Resource("Bucket", "AWS::S3::Bucket", "b-1", attributes={"Arn": "arn:b"})
    names = StackNames(SURROUNDINGS.pseudo_parameters(), Existing({"Bucket": bucket}), str)
    evaluator = Evaluator(names, mappings={}, conditions={})
    assert evaluator.evaluate({"Ref": "AWS::NotificationARNs"}) == ["arn:topic"]
    with pytest.raises(AwsError, match="Bucket does not support attribute type Nope"):
        evaluator.evaluate({"Fn::GetAtt": ["Bucket", "Nope"]})
