"""Sections, attributes and functions that CloudFormation does not have, beside the nearest right.

The oracle is CloudFormation's user guide and template reference.
"""

from __future__ import annotations

TOPIC = "Resources: {T: {Type: AWS::SNS::Topic}}\n"


def topic(more: str) -> str:
    return f"Resources: {{T: {{Type: AWS::SNS::Topic, {more}}}}}\n"


def output(text: str) -> str:
    return f"{TOPIC}Outputs: {{O: {text}}}\n"


def value(text: str) -> str:
    return output(f"{{Value: {text}}}")


def parameter(text: str) -> str:
    return f"{TOPIC}Parameters: {{P: {text}}}\n"


def condition(text: str) -> str:
    return f"{TOPIC}Conditions: {{C: {text}, D: !Equals [!Ref AWS::Region, a]}}\n"


def mapping(text: str) -> str:
    return f"{TOPIC}Mappings: {{M: {text}}}\n"


def role(document: str) -> str:
    return (
        "Resources: {R: {Type: AWS::IAM::Role, Properties: {AssumeRolePolicyDocument: "
        f"{document}}}}}}}\n"
    )


def policy(statement: str, kind: str = "ManagedPolicy") -> str:
    bucket = "Bucket: b, " if kind == "BucketPolicy" else ""
    service = "S3" if bucket else "IAM"
    document = f"{{Version: '2012-10-17', Statement: {statement}}}"
    properties = f"{{{bucket}PolicyDocument: {document}}}"
    return f"Resources: {{P: {{Type: AWS::{service}::{kind}, Properties: {properties}}}}}\n"


def rule(expression: str) -> str:
    properties = f"{{ScheduleExpression: {expression}, State: ENABLED}}"
    return f"Resources: {{R: {{Type: AWS::Events::Rule, Properties: {properties}}}}}\n"


ALL = "{Effect: Allow, Action: 's3:*', Resource: '*'}"
BEARER = ALL.replace("s3:*", "sagemaker:CallWithBearerToken")
TRUSTED = "Effect: Allow, Principal: {Service: ec2.amazonaws.com}"
ASSUME = f"{{Statement: [{{{TRUSTED}, Action: 'sts:AssumeRole'}}]}}"

CASES: list[tuple[str, str, str, str]] = [
    # the rule, a wrong template, what is said, the nearest right one
    ("template-section", f"{TOPIC}Output: {{}}", "did you mean Outputs?", f"{TOPIC}Outputs: {{}}"),
    ("template-section", f"{TOPIC}Globals: {{}}", "no section 'Globals'",
     f"Transform: AWS::Serverless-2016-10-31\n{TOPIC}Globals: {{}}"),
    ("template-section", f"AWSTemplateFormatVersion: '2012-10-17'\n{TOPIC}",
     "'2010-09-09' is the only one", f"AWSTemplateFormatVersion: 2010-09-09\n{TOPIC}"),
    ("template-section", f"{TOPIC}Outputs: []", "must be a mapping", f"{TOPIC}Outputs: {{}}"),
    ("template-resource", topic("DependOn: A"), "did you mean DependsOn?", topic("DependsOn: []")),
    ("template-resource", topic("DisplayName: a"), "put properties below Properties",
     topic("Properties: {DisplayName: a}")),
    ("template-resource", topic("Version: '1.0'"), "no attribute 'Version'",
     "Resources: {C: {Type: Custom::C, Version: '1.0', Properties: {ServiceToken: a}}}"),
    ("template-resource", "Resources: {T: {Properties: {}}}", "needs a Type",
     "Resources: {T: {Type: AWS::SNS::Topic, Properties: {}}}"),
    ("template-resource", topic("DeletionPolicy: Keep"), "choose of Delete, Retain",
     topic("DeletionPolicy: Retain")),
    ("template-resource", topic("UpdateReplacePolicy: Snapshot"), "AWS::SNS::Topic has none",
     "Resources: {V: {Type: AWS::EC2::Volume, UpdateReplacePolicy: Snapshot}}"),
    ("template-resource", topic("DeletionPolicy: !Ref AWS::Region"), "choose of Delete",
     f"Transform: AWS::LanguageExtensions\n{topic('DeletionPolicy: !Ref AWS::Region')}"),
    ("template-resource", topic("DependsOn: !Ref T"), "without functions", topic("DependsOn: [U]")),
    ("template-output", output("{Values: a, Value: b}"), "no attribute 'Values'", value("b")),
    ("template-output", output("{Description: a}"), "needs a Value", value("a")),
    ("template-output", value("!GetAZs ''"), "must be text", value("!Select [0, !GetAZs '']")),
    ("template-output", output("{Value: a, Export: b}"), "Export: {Name: …}",
     output("{Value: a, Export: {Name: b}}")),
    ("template-output", f"{TOPIC}Outputs: {{A: {{Value: a, Export: {{Name: x}}}}, "
     "B: {Value: b, Export: {Name: x}}}", "the output A exports the same name",
     f"{TOPIC}Outputs: {{A: {{Value: a, Export: {{Name: x}}}}, "
     "B: {Value: b, Export: {Name: y}}}"),
    ("template-map", mapping("{a: b}"), "must be a mapping of keys", mapping("{a: {b: c}}")),
    ("template-map", mapping("{a: {b: !Ref AWS::Region}}"), "functions may not stand",
     mapping("{a: {b: [c, 1, true]}}")),
    ("template-parameter-form", parameter("{Type: String, AllowedValue: [a]}"),
     "did you mean AllowedValues?", parameter("{Type: String, AllowedValues: [a]}")),
    ("template-parameter-form", parameter("{Type: String, Default: !Ref AWS::Region}"),
     "must be text or a number", parameter("{Type: String, Default: ''}")),
    ("template-parameter-form", parameter("{Type: Number, MinValue: 9, MaxValue: 8}"),
     "no value is right", parameter("{Type: Number, MinValue: 8, MaxValue: 8}")),
    ("template-parameter-form", parameter("{Type: String, NoEcho: maybe}"), "true or false",
     parameter("{Type: String, NoEcho: true}")),
    ("template-parameter", parameter("{Type: AWS::EC2::Vpc::Id}"),
     "the parameter's Type is 'AWS::EC2::Vpc::Id'", parameter("{Type: AWS::EC2::VPC::Id}")),
    ("template-parameter", parameter("{Type: String, Default: ' a', AllowedValues: [a]}"),
     "Default is ' a'", parameter("{Type: CommaDelimitedList, Default: ' a', AllowedValues: [a]}")),
    ("template-boolean", condition("!Ref AWS::Region"), "must be Fn::And", condition("!Not [a]")),
    ("template-boolean", condition("{Condition: C}"), "needs itself", condition("{Condition: D}")),
    ("template-argument", value("!Select [2, [a, b]]"), "Fn::Select cannot be worked out",
     value("!Select [1, [a, b]]")),
    ("template-argument", value("!Join ['-', a]"), "two parameters",
     value("!Join ['-', !Ref AWS::NotificationARNs]")),
    ("template-argument", value("!Sub ['${a}', [a]]"), "a string and a map of variables",
     value("!Sub ['${a}', {a: b}]")),
    ("template-argument", value("!Select [0, !Cidr [10.0.0.0/16, 300, 8]]"), "has not 300 subnets",
     value("!Select [0, !Cidr [10.0.0.0/16, 200, 8]]")),
    ("template-argument", value("!If [D, a]"), "a condition and two values",
     value("!If [D, a, b]")),
    ("template-argument", condition("!And [{Condition: D}]"), "a list of 2 to 10 conditions",
     condition("!And [{Condition: D}, !Not [{Condition: D}]]")),
    ("template-argument", value("!ImportValue [a]"), "a string is expected",
     value("!ImportValue a")),
    ("template-attribute", value("!GetAtt T.TopicArm"), "did you mean TopicArn?",
     value("!GetAtt T.TopicArn")),
    ("template-limit", mapping("{a: {" + ", ".join(f"k{n}: 1" for n in range(201)) + "}}"),
     "over 200 keys", mapping("{a: {" + ", ".join(f"k{n}: 1" for n in range(200)) + "}}")),
    ("template-limit", f"{TOPIC}Metadata: {{a: {'b' * 1_048_576}}}", "at most 1 MiB",
     f"{TOPIC}Metadata: {{a: {'b' * 1_000_000}}}"),
    ("policy-document", role(ASSUME.replace("Statement: [", "Statement: [a, ")),
     "a statement must be a mapping",
     role(ASSUME.replace("Statement: [", "Statement: [!Ref AWS::NoValue, "))),
    ("policy-document", role(ASSUME.replace("]}", "], Version: '2012-10-18'}")),
     "Version is '2012-10-18'", role(ASSUME.replace("]}", "], Version: 2012-10-17}"))),
    ("policy-document", role(ASSUME.replace("Action:", "Resource: '*', Action:")),
     "may not stand in a trust policy", role(ASSUME)),
    ("policy-document", role(ASSUME.replace("sts:AssumeRole", "s3:GetObject")),
     "actions of sts alone",
     role(ASSUME.replace("'sts:AssumeRole'", "[sts:AssumeRole, sts:TagSession]"))),
    ("policy-document", role(ASSUME.replace("Service:", "Services:")), "did you mean Service?",
     role(ASSUME.replace("Service:", "Federated:"))),
    ("policy-bearer-token", policy(BEARER.replace("'*'", "'arn:aws:sagemaker:*:*:endpoint/chat'")),
     "has no resource but '*'", policy(BEARER)),
    ("policy-bearer-token",
     policy(BEARER.replace("CallWith", "callwith").replace("'*'",
      "['arn:aws:sagemaker:*:*:endpoint/chat']")), "keep sagemaker:InvokeEndpoint on the endpoint",
     policy(BEARER.replace("'*'", "[]"))),
    ("policy-document", policy(ALL.replace("Allow", "allow")), "Effect is 'allow'", policy(ALL)),
    ("policy-document", policy(ALL.replace("Resource: '*'", "Resource: '*', Conditions: {}")),
     "did you mean Condition?",
     policy(ALL.replace("Resource: '*'", "Resource: '*', Condition: {}"))),
    ("policy-document", policy(ALL.replace("Effect", "Principal: '*', Effect")),
     "may not stand in the policy of a role or user",
     policy(ALL.replace("Effect", "Principal: '*', Effect"), "BucketPolicy")),
    ("policy-document", policy(ALL, "BucketPolicy"), "needs Principal",
     policy(ALL.replace("Effect", "Principal: {AWS: '*'}, Effect"), "BucketPolicy")),
    ("policy-document", policy(ALL.replace("'s3:*'", "[GetObject]")), "SERVICE:ACTION",
     policy(ALL.replace("'s3:*'", "['s3:GetObject', !Ref AWS::NotificationARNs]"))),
    ("policy-document", policy(ALL.replace("'*'}", "bucket}")), "must be an ARN or *",
     policy(ALL.replace("'*'}", "!Sub '${AWS::StackName}'}"))),
    ("policy-document",
     policy(ALL.replace("'*'}", "'*', Condition: {StringEqual: {'aws:PrincipalArn': a}}}")),
     "is no condition operator",
     policy(ALL.replace("'*'}", "'*', Condition: {StringEquals: {'aws:PrincipalArn': a}}}"))),
    ("event-schedule", rule("cron(0 24 * * ? *)"), "hours", rule("cron(0 23 * * ? *)")),
    ("event-schedule", rule("rate(1 days)"), "rate", rule("rate(1 day)")),
    ("event-schedule", rule("at(2027-01-01T08:00:00)"), "it must be cron", rule("rate(2 days)")),
]  # fmt: skip
