"""Roles that may not do what a template uses them for, beside the nearest that may.

The oracle is AWS's own lists: Step Functions developer guide, IAM policies for SageMaker ("Run a
Job (.sync)"), and SageMaker developer guide, SageMaker roles.
"""

from __future__ import annotations

TRUST = "AssumeRolePolicyDocument: {Statement: []}"
MACHINE = "AWS::StepFunctions::StateMachine"
JOB = "arn:aws:states:::sagemaker:createTransformJob"
MODEL = "arn:aws:states:::sagemaker:createModel"
EVENTS = "events:PutTargets, events:PutRule, events:DescribeRule, sagemaker:AddTags"


def statement(*actions: str, effect: str = "Allow", more: str = "Action") -> str:
    listed = ", ".join(f"'{action}'" for action in actions)
    return f"{{Statement: [{{Effect: {effect}, {more}: [{listed}], Resource: '*'}}]}}"


def role(document: str = "", more: str = "") -> str:
    """A role with one inline policy."""
    inline = f", Policies: [{{PolicyName: p, PolicyDocument: {document}}}]" if document else ""
    return f"  R: {{Type: AWS::IAM::Role, Properties: {{{TRUST}{inline}{more}}}}}\n"


def machine(
    document: str, task: str = JOB, arguments: str = "{}", more: str = "", beside: str = ""
) -> str:
    """A state machine that calls SageMaker, and its role."""
    state = f"{{Type: Task, End: true, Resource: '{task}', Parameters: {arguments}{more}}}"
    return (
        f"Resources:\n{role(document)}{beside}  M: {{Type: {MACHINE}, Properties: "
        f"{{RoleArn: !GetAtt R.Arn, Definition: {{StartAt: A, States: {{A: {state}}}}}}}}}\n"
    )


def attached(document: str, roles: str = "[!Ref R]") -> str:
    """A policy that is a resource of its own."""
    properties = f"{{PolicyName: q, Roles: {roles}, PolicyDocument: {document}}}"
    return f"  Q: {{Type: AWS::IAM::Policy, Properties: {properties}}}\n"


def model(roles: str, properties: str, beside: str = "") -> str:
    """A model with what its role may do, and the bucket and the repository of the template."""
    return (
        f"Resources:\n{roles}{beside}  B: {{Type: AWS::S3::Bucket}}\n"
        "  E: {Type: AWS::ECR::Repository}\n"
        "  M: {Type: AWS::SageMaker::Model, Properties: "
        f"{{ExecutionRoleArn: !GetAtt R.Arn, {properties}}}}}\n"
    )


FILES = "PrimaryContainer: {Image: a, ModelDataUrl: !Sub 's3://${B}/model.tar.gz'}"
ELSEWHERE = "PrimaryContainer: {Image: a, ModelDataUrl: s3://others/model.tar.gz}"
IMAGE = "PrimaryContainer: {Image: !Sub '${E.RepositoryUri}:latest'}"
NETWORK = "VpcConfig: {Subnets: [subnet-11111111], SecurityGroupIds: [sg-11111111]}"
PULL = (
    *("ecr:BatchCheckLayerAvailability", "ecr:GetAuthorizationToken"),
    *("ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"),
)
OTHER = "  S: {Type: AWS::IAM::Role, Properties: {AssumeRolePolicyDocument: {Statement: []}}}\n"
BUCKET_POLICY = (
    "  P: {Type: AWS::S3::BucketPolicy, Properties: {Bucket: !Ref B, PolicyDocument: {Statement: "
    "[{Effect: Allow, Principal: '*', Action: 's3:GetObject', Resource: '*'}]}}}\n"
)
CAPTURE = (
    "  C: {Type: AWS::SageMaker::EndpointConfig, Properties: {DataCaptureConfig: {EnableCapture: "
    "true, DestinationS3Uri: !Sub 's3://${B}/seen'}, ProductionVariants: "
    "[{VariantName: a, ModelName: !GetAtt M.ModelName}]}}\n"
)
SHELL = (
    "  C: {Type: AWS::SageMaker::EndpointConfig, Properties: {ProductionVariants: "
    "[{VariantName: a, ModelName: !GetAtt M.ModelName, EnableSSMAccess: true}]}}\n"
)
DUMPS = SHELL.replace(
    "EnableSSMAccess: true", "CoreDumpConfig: {DestinationS3Uri: !Sub 's3://${B}/d'}"
)
GUARD = SHELL.replace("EnableSSMAccess: true", "InitialVariantWeight: 1") + (
    "  N: {Type: AWS::SageMaker::Endpoint, Properties: {EndpointConfigName: !GetAtt "
    "C.EndpointConfigName, DeploymentConfig: {AutoRollbackConfiguration: {Alarms: "
    "[{AlarmName: a}]}}}}\n"
)
RUN = "sagemaker:CreateTransformJob"
INVOKE = "arn:aws:states:::aws-sdk:sagemakerruntime:invokeEndpoint"
CALLED = "{EndpointName: !GetAtt One.EndpointName, Body: a}"
ENDPOINTS = "".join(
    f"  {name}: {{Type: AWS::SageMaker::Endpoint, Properties: {{EndpointConfigName: c}}}}\n"
    for name in ("One", "Other")
)
PASSED = "{ModelName: a, ExecutionRoleArn: 'arn:aws:iam::123456789012:role/x'}"

CASES: list[tuple[str, str, str, str]] = [
    ("role-permission", wrong, said, right)
    for wrong, said, right in (
        (model(role(statement("s3:*")), FILES, SHELL),
         "R allows ssmmessages:CreateControlChannel, ssmmessages:CreateDataChannel, ssmm",
         model(role(statement("s3:*", "ssmmessages:*")), FILES, SHELL)),
        (model(role(statement("s3:Get*")), FILES, DUMPS), "R allows s3:PutObject on ",
         model(role(statement("s3:*Object")), FILES, DUMPS)),
        (model(role(statement("s3:*")), FILES, GUARD),
         "R allows cloudwatch:DescribeAlarms, which this needs; add",
         model(role(statement("s3:*", "cloudwatch:*").replace("'*'", "['*', 'arn:aws:a:b:c:d']")),
          FILES, GUARD)),
        (machine(statement("s3:*")),
         "no policy of the role R allows sagemaker:CreateTransformJob, which this needs; add",
         machine(statement("sagemaker:Create*"))),
        (machine(statement(RUN), f"{JOB}.sync"),
         "allows events:DescribeRule, events:PutRule, events:PutTargets, sagemaker:AddTags",
         machine(statement(RUN), JOB)),
        (machine(statement(RUN, "events:PutRule", "events:PutTargets", "sagemaker:AddTags"),
          f"{JOB}.sync"), "allows events:DescribeRule, which",
         machine(statement(RUN, *EVENTS.split(", ")), f"{JOB}.sync")),
        (machine(statement("sagemaker:*"), MODEL, PASSED), "allows iam:PassRole, which",
         machine(statement("sagemaker:*", "iam:PassRole"), MODEL, PASSED)),
        (machine(statement("sagemaker:*"), MODEL, "{ExecutionRoleArn.$: $.role}"),
         "allows iam:PassRole, which", machine(statement("sagemaker:*"), MODEL, "{ModelName: a}")),
        (machine(statement("s3:*")), "CreateTransformJob",
         machine(statement("s3:*"), more=", Credentials: {RoleArn: 'arn:aws:iam::1:role/x'}")),
        (machine(statement("sagemaker:*", more="NotAction")), "CreateTransformJob",
         machine(statement("iam:*", more="NotAction"))),
        *((machine(statement("sagemaker:*").replace("'*'}", "!Ref Other}"), INVOKE, CALLED,
                   beside=ENDPOINTS),
           "allows sagemaker:InvokeEndpoint on arn:aws:sagemaker:*:*:endpoint/${One}, which",
           machine(statement("sagemaker:*").replace("'*'}", f"{named}}}"), INVOKE, CALLED,
                   beside=ENDPOINTS))
          for named in ("[!Ref Other, !Ref One]", "'arn:aws:sagemaker:*:*:endpoint/ONE*'",
                        "!Sub 'arn:aws:sagemaker:*:*:endpoint/${One.EndpointName}'")),
        (machine(statement("s3:*"), beside=attached(statement(RUN), "[!Ref S]") + OTHER),
         "CreateTransformJob", machine(statement("s3:*"), beside=attached(statement(RUN)))),
        (machine(statement("s3:*"), beside=attached(statement(RUN), "[others]")),
         "CreateTransformJob",
         machine(statement("s3:*"), beside=attached(statement(RUN), "[!ImportValue a]"))),
        (model(role(statement("s3:PutObject")), FILES),
         "allows s3:GetObject on arn:aws:s3:::${B}/model.tar.gz, which",
         model(role(statement("s3:GetObject*")), FILES)),
        (model(role(), FILES), "s3:GetObject", model(role(), ELSEWHERE)),
        (model(role(), FILES), "s3:GetObject", model(role(), FILES, BUCKET_POLICY)),
        (model(role(), FILES), "s3:GetObject",
         model(role(more=", ManagedPolicyArns: ['arn:aws:iam::aws:policy/AWSX']"), FILES)),
        (model(role(statement(*PULL[:3])), IMAGE),
         "allows ecr:GetDownloadUrlForLayer on arn:aws:ecr:*:*:repository/${E}, which",
         model(role(statement(*PULL)), IMAGE)),
        (model(role(statement("ec2:Describe*")), NETWORK),
         "allows ec2:CreateNetworkInterface, ec2:CreateNetworkInterfacePermission, ",
         model(role(statement("ec2:*")), NETWORK)),
        (model(role(statement("s3:GetObject")), FILES, CAPTURE),
         "allows s3:PutObject on arn:aws:s3:::${B}/seen/*, which",
         model(role(statement("s3:*Object")), FILES, CAPTURE)),
    )
]  # fmt: skip
