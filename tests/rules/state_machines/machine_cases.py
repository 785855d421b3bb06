"""State machines of templates with one thing wrong, and the nearest that are right.

The oracles: CloudFormation's provider of Step Functions (DefinitionProcessor), the Step Functions
developer guide, botocore's service model. What the language itself refuses is in
tests/local_aws/states_language.
"""

from __future__ import annotations

import json
from typing import Any

Properties = dict[str, Any]

SAGEMAKER = "arn:aws:states:::sagemaker:"
MODEL = f"{SAGEMAKER}createModel"
LAMBDA = "arn:aws:states:::lambda:invoke"
ASKED = "arn:aws:states:::aws-sdk:sagemakerruntime:invokeEndpoint"


def machine(**states: Any) -> dict[str, Any]:
    return {"StartAt": next(iter(states)), "States": states}


def task(
    arguments: dict[str, Any] | None = None, resource: Any = LAMBDA, **state: Any
) -> dict[str, Any]:
    given = {} if arguments is None else {"Parameters": arguments}
    return {"Type": "Task", "Resource": resource, "End": True, **given, **state}


def calling(resource: Any, arguments: dict[str, Any] | None = None) -> Properties:
    return {"Definition": machine(Run=task(arguments, resource))}


def creating(**change: Any) -> Properties:
    """A task that creates a model."""
    role = "arn:aws:iam::123456789012:role/r"
    arguments = {"ModelName": "a", "ExecutionRoleArn": role, **change}
    return calling(MODEL, {key: value for key, value in arguments.items() if value is not None})


def training(**change: Any) -> Properties:
    """A task that trains."""
    arguments = {
        "TrainingJobName.$": "$.name",
        "RoleArn.$": "$.role",
        "AlgorithmSpecification": {"TrainingImage": "image", "TrainingInputMode": "File"},
        "OutputDataConfig": {"S3OutputPath": "s3://bucket/out/"},
        "ResourceConfig": {
            "InstanceType": "ml.m5.large",
            "InstanceCount": 1,
            "VolumeSizeInGB": 30,
            **change,
        },
        "StoppingCondition": {"MaxRuntimeInSeconds": 3600},
    }
    return calling(f"{SAGEMAKER}createTrainingJob.sync", arguments)


def transforming(**change: Any) -> Properties:
    """A task that transforms a batch, with other arguments."""
    arguments = {
        "TransformJobName.$": "$.name",
        "ModelName": "m",
        "TransformInput": {
            "ContentType": "text/csv",
            "SplitType": "Line",
            "DataSource": {"S3DataSource": {"S3DataType": "S3Prefix", "S3Uri": _BELOW["in"]}},
        },
        "TransformOutput": {
            "S3OutputPath": _BELOW["out"],
            "AssembleWith": "Line",
            "Accept": "text/csv",
        },
        "TransformResources": {"InstanceCount": 1, "InstanceType": "ml.m5.large"},
        **change,
    }
    return calling(f"{SAGEMAKER}createTransformJob.sync", arguments)


_BELOW = {
    name: {"Fn::Join": ["", ["s3://", {"Ref": "Seconds"}, f"/{name}/"]]}
    for name in ("in", "out", "in/scores")
}


def substituted(value: Any, text: str, resource: str = LAMBDA) -> Properties:
    return {
        "DefinitionString": json.dumps(machine(Run=task({"a": text}, resource))),
        "DefinitionSubstitutions": value,
    }


WAIT = '{"StartAt": "A", "States": {"A": {"Type": "Wait", "Seconds": %s, "End": true}}}'
REF: dict[str, Any] = {"Ref": "Seconds"}
PASS = machine(A={"Type": "Pass", "End": True})

CASES: list[tuple[str, Properties, str, Properties]] = [
    # the rule, the wrong properties of the machine, what is said, the nearest right ones
    ("state-machine-source", {}, "there is no definition; give one of", {"Definition": PASS}),
    ("state-machine-source", {"Definition": PASS, "DefinitionString": json.dumps(PASS)},
     "Definition and DefinitionString stand together; keep one",
     {"DefinitionString": json.dumps(PASS)}),
    ("state-machine-source",
     {"DefinitionString": json.dumps(PASS).replace('"A"}', '"A",}').replace("true", "True")},
     "DefinitionString is no JSON",
     {"DefinitionString": {"Fn::Sub": json.dumps(PASS).replace("true", "${Truth}")}}),
    ("state-machine-language",
     {"DefinitionString": {"Fn::Join": ["", [*WAIT.replace("%s", '"@"').split("@")]]}},
     "must be an integer", {"DefinitionString": {"Fn::Join": ["", [WAIT[:60], "1", WAIT[62:]]]}}),
    ("state-machine-language", {"DefinitionString": {"Fn::Sub": WAIT % '"${Seconds}"'}},
     "it is a text; write 0 to 99999999, unquoted",
     {"DefinitionString": {"Fn::Sub": WAIT % "${Seconds}"}}),
    ("state-machine-language",
     {"DefinitionString": WAIT % '"${s}"', "DefinitionSubstitutions": {"s": 5}}, "it is '5'",
     {"DefinitionString": WAIT % "${s}", "DefinitionSubstitutions": {"s": 5}}),
    ("state-machine-language",
     {"DefinitionString": WAIT % "${s}", "DefinitionSubstitutions": {"s": -1}}, "it is -1",
     {"DefinitionString": WAIT % "${s}", "DefinitionSubstitutions": {"s": REF}}),
    ("state-machine-language",
     {**calling(f"{SAGEMAKER}createTransformJob.sync"), "StateMachineType": "EXPRESS"},
     "leave .sync out, or make the machine STANDARD",
     {**calling(f"{SAGEMAKER}createTransformJob.sync"), "StateMachineType": REF}),
    ("state-machine-transition",
     {"Definition": machine(A={"Type": "Pass", "Next": "Wiat"}, Wait=task())},
     "Missing 'Next' target: Wiat; did you mean Wait?",
     {"Definition": machine(A={"Type": "Pass", "Next": "Wait"}, Wait=task())}),
    ("state-machine-transition", {"Definition": machine(A={"Type": "Pass", "End": True}, B=task())},
     'State "B" is not reachable.',
     {"Definition": machine(A={"Type": "Pass", "Next": REF}, B=task())}),
    ("state-machine-path", creating(ModelName="$.name"), "write 'ModelName.$': '$.name'",
     creating(**{"ModelName": None, "ModelName.$": "$.name"})),
    ("state-machine-error",
     {"Definition": machine(A=task(Retry=[{"ErrorEquals": ["States.TaskFail"]}], End=True))},
     "No error is called 'States.TaskFail', and so none is caught by it; write States.TaskFailed",
     {"Definition": machine(A=task(Retry=[{"ErrorEquals": ["States.Http.Socket", "Mine"]}],
      End=True))}),
    ("state-machine-substitution", substituted({"TopicArn": "a"}, "${TopicArm}"),
     "${TopicArm} stands for nothing; add TopicArm to DefinitionSubstitutions, or use Fn::Sub; "
     "did you mean ${TopicArn}?", substituted({"TopicArn": "a"}, "${TopicArn} of ${HOME}")),
    ("state-machine-substitution", calling("${Function}"), "${Function} stands for nothing",
     {**calling("${Function}"), "DefinitionSubstitutions": {"Function": {"Ref": "F"}}}),
    ("state-machine-substitution-unused",
     substituted({"TopicArn": "a", "Topic": "b"}, "${TopicArn}"),
     "the definition has no ${Topic}; remove Topic, or use it",
     substituted({"TopicArn": "a-${Topic}", "Topic": "b"}, "${TopicArn}")),
    ("state-machine-resource", calling("resource"), "resource: it is no ARN",
     calling({"Fn::GetAtt": ["Function", "Arn"]})),
    ("state-machine-resource", calling(f"{SAGEMAKER}createTransfromJob.sync"),
     "has no createTransfromJob; did you mean createTransformJob?",
     calling(f"{SAGEMAKER}createTransformJob.sync")),
    ("state-machine-resource", calling(f"{SAGEMAKER}CreateModel"),
     "its action is spelt createModel", creating()),
    ("state-machine-resource",
     calling({"Fn::Sub": "arn:${AWS::Partition}:states:::sagemaker:describeEndpoint"}),
     "write aws-sdk:sagemaker:describeEndpoint",
     calling({"Fn::Sub": "arn:${AWS::Partition}:states:::aws-sdk:sagemaker:describeEndpoint"})),
    ("state-machine-resource", calling("arn:aws:states:::s3:getObject"),
     "there is no integration s3; write aws-sdk:s3:getObject",
     calling("arn:aws:states:::aws-sdk:s3:getObject")),
    ("state-machine-resource", calling("arn:aws:states:::lamda:invoke"),
     "there is no integration lamda; did you mean lambda?",
     calling("arn:aws:states:::somethingnew:invoke")),
    ("state-machine-resource", calling("arn:aws:states:::aws-sdk:sagemakr:createModel"),
     "aws-sdk has no service sagemakr; did you mean sagemaker?",
     calling("arn:aws:states:::aws-sdk:lookoutvision:startModel")),
    ("state-machine-resource", calling("arn:aws:states:::aws-sdk:sagemaker:createModell"),
     "sagemaker has no action createModell; did you mean createModel?",
     calling("arn:aws:states:::aws-sdk:sagemaker:createModelCard")),
    ("state-machine-resource",
     calling("arn:aws:states:::aws-sdk:sagemaker:createTransformJob.sync"),
     "aws-sdk waits for no job", calling("arn:aws:states:::aws-sdk:sagemaker:createTransformJob")),
    ("state-machine-resource", calling(f"{MODEL}.sync"),
     "createModel is no job to wait for; leave .sync out", creating()),
    ("state-machine-resource", calling(f"{SAGEMAKER}createTransformJob.synch"),
     "there is no pattern .synch; use .sync", calling(f"{SAGEMAKER}createTransformJob.sync")),
    ("state-machine-resource", calling(f"{SAGEMAKER}createTransformJob.waitForTaskToken"),
     "sagemaker takes no task token", calling(f"{LAMBDA}.waitForTaskToken")),
    ("state-machine-resource", calling(f"{SAGEMAKER}createTransformJob.sync:2"),
     "only states:startExecution has .sync:2",
     calling("arn:aws:states:::states:startExecution.sync:2")),
    ("state-machine-argument", calling(MODEL), "CreateModel needs ModelName; add them", creating()),
    ("state-machine-argument", training(InstanceCount="2"),
     "InstanceCount is '2'; it must be a whole number", training(InstanceCount=REF)),
    ("state-machine-argument", training(VolumeSizeInGB=-1),
     "VolumeSizeInGB is -1; it must be at least 0", training(VolumeSizeInGB=0)),
    ("state-machine-argument", training(InstanceType="ml.m5.larg"),
     "InstanceType is 'ml.m5.larg'; did you mean ml.m5.large?",
     training(InstanceType="ml.m5.xlarge")),
    ("resource-name", creating(ModelName="a_b"), "ModelName is 'a_b'; it must be 1 to 63 letters",
     creating(ModelName="a-b")),
    ("state-machine-argument", creating(EnableNetworkIsolation="yes"),
     "it must be true or false, without quotes", creating(EnableNetworkIsolation=True)),
    ("state-machine-argument", creating(Containers="image"),
     "Containers is 'image'; it must be a list", creating(Containers=[{}])),
    ("state-machine-argument", creating(Tags=[{"Key": "a"}]),
     "an entry of Tags needs Value; add it", creating(Tags=[{"Key": "a", "Value.$": "$.a"}])),
    ("state-machine-argument", creating(PrimaryContainer={"Environment": []}),
     "Environment is []; it must be a map", creating(PrimaryContainer={"Environment": {"a": "b"}})),
    ("state-machine-argument", creating(PrimaryContainer={"Environment": {"a": 1}}),
     "a is 1; it must be text, in quotes", creating(PrimaryContainer={"Environment": {"a": "1"}})),
    ("state-machine-argument", calling(ASKED, {"EndpointName": "digits"}),
     "InvokeEndpoint needs Body; add it",
     calling(ASKED, {"EndpointName": "digits", "Body": {"instances": [1]}})),
    ("unknown-property", calling(ASKED, {"endpointName": "digits", "Body.$": "$"}),
     "InvokeEndpoint has no property 'endpointName' here; did you mean EndpointName",
     calling(ASKED, {"EndpointName": "digits", "Body.$": "$"})),
    ("invocation-input", calling(f"{ASKED}Async", {"EndpointName": "digits"}),
     "has neither InputLocation nor Body; give one of them",
     calling(f"{ASKED}Async", {"EndpointName": "digits", "InputLocation.$": "$.uri"})),
    ("invocation-input",
     calling(f"{ASKED}Async", {"EndpointName": "a", "InputLocation.$": "$.uri", "Body": "1"}),
     "has both InputLocation and Body; give one of them",
     calling(f"{ASKED}Async", {"EndpointName": "a", "Body": "1"})),
    ("network", creating(VpcConfig={"Subnets": [], "SecurityGroupIds": ["sg-1"]}),
     "Subnets has 0 entries; it takes 1 to 16",
     creating(VpcConfig={"Subnets": ["subnet-1"], "SecurityGroupIds": ["sg-1"]})),
    (
        "model-containers",  # awslabs/aiops-modules, mlops-stepfunctions: one of both is null
        creating(PrimaryContainer={"Image": "i"}, Containers=[{"Image": "i"}]),
        "Containers and PrimaryContainer are both given",
        creating(**{"PrimaryContainer.$": "$.alone", "Containers.$": "$.several"}),
    ),
    ("job-name-fixed", creating(PrimaryContainer={"Image": "i"}),
     "ModelName is 'a' in each execution, and a model of that name is there after the first",
     {"Definition": machine(Run=task({"ModelName": "a"}, MODEL,
      Catch=[{"ErrorEquals": ["States.ALL"]}]))}),
    ("job-name-fixed", creating(PrimaryContainer={"Image": "i"}),
     "take the execution's: ModelName.$: $$.Execution.Name",
     {"Definition": machine(Run=task({"ModelName": "a"}, MODEL), Gone=task({"ModelName": "a"},
      "arn:aws:states:::aws-sdk:sagemaker:deleteModel"))}),
    ("unknown-property", creating(PrimaryContaner={}), "did you mean PrimaryContainer",
     creating(PrimaryContainer={})),
    (
        "transform-output-apart",  # aws/sagemaker-python-sdk#3557
        transforming(TransformOutput={"S3OutputPath": _BELOW["in/scores"]}),
        "the output is read as input by the next job",
        transforming(),
    ),
    (
        "transform-filters",  # aws/sagemaker-python-sdk#1112
        transforming(DataProcessing={"JoinSource": "Input", "OutputFilter": "$[0:2,246:]"}),
        "only single range filters of format (eg: [1:5]) are supported",
        transforming(DataProcessing={"JoinSource": "Input", "OutputFilter": "$[0:2]"}),
    ),
]  # fmt: skip
