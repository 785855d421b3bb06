"""Roles that don't trust the service which they are given to, beside the nearest that do.

The oracle is each service's documentation of its role, and its refusal: "Could not assume role …
Please ensure that the role exists and allows principal 'sagemaker.amazonaws.com'", "The role
defined for the function cannot be assumed by Lambda", "Neither the global service principal
states.amazonaws.com, nor the regional one is authorized to assume the provided role", "Provided
role … cannot be assumed by principal 'events.amazonaws.com'".
"""

from __future__ import annotations

MODEL = "AWS::SageMaker::Model, Properties: {ExecutionRoleArn"
FUNCTION = "AWS::Lambda::Function, Properties: {Role"
MACHINE = "AWS::StepFunctions::StateMachine, Properties: {RoleArn"


def trusting(
    principal: str, user: str = MODEL, given: str = "!GetAtt R.Arn", more: str = "", deny: str = ""
) -> str:
    """A template with a role that trusts ``principal``, given to ``user``."""
    allow = f"{{Effect: Allow, Principal: {principal}, Action: 'sts:AssumeRole'{more}}}"
    return (
        "Parameters: {Who: {Type: String}}\nResources:\n"
        f"  R: {{Type: AWS::IAM::Role, Properties: {{RoleName: mine, AssumeRolePolicyDocument: "
        f"{{Statement: [{allow}{deny}]}}}}}}\n"
        f"  User: {{Type: {user}: {given}}}}}\n  Second: {{Type: {user}: {given}}}}}\n"
    )


def service(name: str) -> str:
    return f"{{Service: {name}}}"


def several(*names: str) -> str:
    return f"{{Service: [{', '.join(names)}]}}"


SAGEMAKER = service("sagemaker.amazonaws.com")
DENY = ", {Effect: Deny, Principal: {Service: sagemaker.amazonaws.com}, Action: '*'}"
DENY_AT_TIMES = DENY.replace(
    "'*'", "'*', Condition: {StringNotEquals: {'aws:SourceAccount': '123456789012'}}"
)
RULE = "AWS::Events::Rule, Properties: {ScheduleExpression: rate(1 day), Targets"
DOMAIN = "AWS::SageMaker::Domain, Properties: {DefaultUserSettings"
IN_ARN = "!Sub 'arn:${AWS::Partition}:iam::${AWS::AccountId}:role/${R}'"
BY_NAME = "!Sub 'arn:aws:iam::${AWS::AccountId}:role/service/mine'"
OTHERS = "!Sub 'arn:aws:iam::${AWS::AccountId}:role/others'"
LAMBDA = service("lambda.amazonaws.com")
JOB = (
    "AWS::StepFunctions::StateMachine, Properties: {Definition: {StartAt: A, States: {A: "
    "{Type: Task, End: true, Resource: 'arn:aws:states:::aws-sdk:sagemaker:createModel', "
    "Parameters: {ModelName: a, ExecutionRoleArn"
)

CASES: list[tuple[str, str, str, str]] = [
    ("role-trust", wrong, said, right)
    for wrong, said, right in (
        (trusting(service("ec2.amazonaws.com")),
         "the role R is given to sagemaker.amazonaws.com, which has to assume it, and trusts "
         "ec2.amazonaws.com; allow sagemaker.amazonaws.com sts:AssumeRole", trusting(SAGEMAKER)),
        (trusting(several("ec2.amazonaws.com", "ecs.amazonaws.com")),
         "trusts ec2.amazonaws.com, ecs.amazonaws.com;",
         trusting(several("ec2.amazonaws.com", "sagemaker.amazonaws.com"))),
        (trusting(service("sagemaker.amazon.com")), "trusts sagemaker.amazon.com;",
         trusting(service("!Sub 'sagemaker.${AWS::URLSuffix}'"))),
        (trusting("{AWS: '123456789012'}"), "trusts 123456789012;", trusting("'*'")),
        (trusting(service("ec2.amazonaws.com"), given=IN_ARN), "the role R is given to",
         trusting(service("!Ref Who"), given=IN_ARN)),
        (trusting(service("ec2.amazonaws.com"), given=BY_NAME), "the role R is given to",
         trusting(service("ec2.amazonaws.com"), given=OTHERS)),
        (trusting(SAGEMAKER, FUNCTION), "given to lambda.amazonaws.com",
         trusting(LAMBDA, FUNCTION, more=", Condition: {Bool: {'aws:SecureTransport': true}}")),
        (trusting(service("states.us-east-1.amazonaws.com"), MACHINE),
         "trusts states.us-east-1.amazonaws.com;",
         trusting(service("states.eu-west-1.amazonaws.com"), MACHINE)),
        (trusting(service("lambda.amazonaws.com"), MACHINE), "given to states.amazonaws.com",
         trusting(service("!Sub 'states.${AWS::Region}.amazonaws.com'"), MACHINE)),
        (trusting(LAMBDA, RULE, "[{Id: a, Arn: b, RoleArn: !GetAtt R.Arn}]"),
         "given to events.amazonaws.com",
         trusting(service("events.amazonaws.com"), RULE, "[{Id: a, Arn: b, RoleArn: !Ref Who}]")),
        (trusting(LAMBDA, DOMAIN, "{ExecutionRole: !GetAtt R.Arn}"), "given to sagemaker",
         trusting(SAGEMAKER, DOMAIN, "{ExecutionRole: !GetAtt R.Arn}")),
        (trusting(LAMBDA, JOB, "!GetAtt R.Arn}}}}"), "given to sagemaker",
         trusting(SAGEMAKER, JOB, "!GetAtt R.Arn}}}}")),
        (trusting(SAGEMAKER, deny=DENY), "and denies it that;", trusting(SAGEMAKER)),
        (trusting(SAGEMAKER, deny=DENY), "denies", trusting(SAGEMAKER, deny=DENY_AT_TIMES)),
        (trusting(SAGEMAKER).replace("sts:AssumeRole", "sts:TagSession"), "trusts nobody;",
         trusting(SAGEMAKER).replace("sts:AssumeRole", "sts:*")),
    )
]  # fmt: skip
