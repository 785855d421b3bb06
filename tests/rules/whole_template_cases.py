"""Parts of a template that lead nowhere, run in circles or are too many, beside the nearest right.

The oracle is CloudFormation's reference (intrinsic functions, template sections, quotas);
cfn-lint's own fixtures of right templates pass, too (run 2026-11-23).
"""

from __future__ import annotations

BASE = """
Parameters:
  Stage: {Type: String, Default: prod, AllowedValues: [test, prod]}
  Size: {Type: String, Default: ml.c5.large}
Mappings:
  Sizes: {prod: {type: ml.c5.large}}
Conditions:
  IsProd: !Equals [!Ref Stage, prod]
"""
TOPIC = "  Topic: {Type: AWS::SNS::Topic}\n"


def resources(text: str) -> str:
    return f"{BASE}Resources:\n{TOPIC}{text}"


def named(value: str, more: str = "") -> str:
    properties = f"Properties: {{TopicName: {value}}}"
    return resources(f"  A: {{Type: AWS::SNS::Topic, {properties}{more}}}\n")


def many(count: int) -> str:
    return "Resources:\n" + "".join(f"  T{n}: {{Type: AWS::SNS::Topic}}\n" for n in range(count))


def ring(condition: str = "") -> str:
    more = f", Condition: {condition}" if condition else ""
    return resources(
        f"  A: {{Type: AWS::SNS::Topic, DependsOn: B{more}}}\n"
        "  B: {Type: AWS::SNS::Topic, Properties: {TopicName: !GetAtt A.TopicName}}\n"
    )


def parameter(text: str) -> str:
    return f"Parameters: {{P: {{{text}}}}}\nResources:\n{TOPIC}"


def taken_back_by(*dimensions: str) -> str:
    named = ", ".join(f"{{Name: {name}, Value: v}}" for name in dimensions)
    alarms = "AutoRollbackConfiguration: {Alarms: [{AlarmName: !Ref Errors}]}"
    return resources(
        "  Errors: {Type: AWS::CloudWatch::Alarm, Properties: {Namespace: AWS/SageMaker, "
        f"MetricName: Invocation5XXErrors, Dimensions: [{named}]}}}}\n"
        "  Endpoint: {Type: AWS::SageMaker::Endpoint, Properties: {EndpointConfigName: c, "
        f"DeploymentConfig: {{{alarms}}}}}}}\n"
    )


def waiting(variant: str, seconds: int) -> str:
    routing = f"Type: ALL_AT_ONCE, WaitIntervalInSeconds: {seconds}"
    policy = f"BlueGreenUpdatePolicy: {{TrafficRoutingConfiguration: {{{routing}}}}}"
    return resources(
        "  Endpoint: {Type: AWS::SageMaker::Endpoint, Properties: {EndpointConfigName: c, "
        f"DeploymentConfig: {{{policy}}}}}}}\n"
        "  Target: {Type: AWS::ApplicationAutoScaling::ScalableTarget, Properties: {"
        "ServiceNamespace: sagemaker, ScalableDimension: sagemaker:variant:DesiredInstanceCount, "
        f'ResourceId: !Sub "endpoint/{variant}", MinCapacity: 1, MaxCapacity: 2}}}}\n'
    )


CASES: list[tuple[str, str, str, str]] = [
    # the rule, a wrong template, what is said, the nearest right one
    ("template-reference", named("!GetAtt Topik.TopicName"), "did you mean Topic?",
     named("!GetAtt Topic.TopicName")),
    ("template-reference", named('!Sub "${Stag}-x"'), "Fn::Sub names 'Stag'",
     named('!Sub "${Stage}-${!Stag}"')),
    ("template-reference", named('!Sub ["${a}", {a: !Ref Nobody}]'), "Ref names 'Nobody'",
     named('!Sub ["${a}", {a: !Ref Topic}]')),
    ("template-reference", named("x", ", DependsOn: [Topic, Stage]"), "DependsOn names 'Stage'",
     named("x", ", DependsOn: [Topic]")),
    ("template-reference", resources("Outputs: {X: {Value: !Ref Topics}}\n"), "Ref names 'Topics'",
     resources("Outputs: {X: {Value: !Ref Topic}}\n")),
    ("template-reference", named("!Ref Nobody"), "Ref names 'Nobody'",
     f"Transform: MyMacro\n{named('!Ref Nobody')}"),
    ("template-condition", named("x", ", Condition: IsPord"), "did you mean IsProd?",
     named("x", ", Condition: IsProd")),
    ("template-condition", named("!If [IsTest, a, b]"), "Fn::If names 'IsTest'",
     named("!If [IsProd, a, b]")),
    ("template-condition", f"Conditions: {{A: !Not [{{Condition: B}}]}}\nResources:\n{TOPIC}",
     "Condition names 'B'", f"{BASE}  A: !Not [{{Condition: IsProd}}]\nResources:\n{TOPIC}"),
    ("template-condition", f"Conditions: {{A: !Not [{{Condition: B}}]}}\nResources:\n{TOPIC}",
     "Condition names 'B'",
     f"{BASE}  A: !Not [{{Condition: !Equals [!Ref Stage, test]}}]\nResources:\n{TOPIC}"),
    ("template-mapping", named("!FindInMap [Size, prod, type]"), "did you mean Sizes?",
     named("!FindInMap [Sizes, prod, type]")),
    ("template-mapping", named("!FindInMap [Sizes, test, type]"),
     "Sizes has no key 'test' there; it has prod",
     named("!FindInMap [Sizes, test, type, {DefaultValue: a}]")),
    ("template-mapping", named("!FindInMap [Sizes, !Ref Stage, typ]"), "no key 'typ'",
     named("!FindInMap [Sizes, !GetAtt Topic.TopicName, typ]")),
    ("template-mapping", named("!FindInMap [Sizes, !Ref Size, type]"),
     "by default of Size, Sizes has no key 'ml.c5.large' there",
     named("!If [IsProd, !FindInMap [Sizes, !Ref Size, type], x]")),
    ("template-cycle", ring(), "A needs B needs A", ring("IsProd")),
    ("template-cycle", ring(), "A needs B needs A",
     f"Transform: AWS::Serverless-2016-10-31\n{ring()}"),
    ("template-cycle", named("!Ref A"), "A needs A", named("!If [IsProd, !Ref A, x]")),
    ("template-function", named("!Substitute x"), "did you mean Fn::Sub", named("!Sub x")),
    ("template-function", named("!ToJsonString [a]"), "needs Transform: AWS::LanguageExtensions",
     f"Transform: AWS::LanguageExtensions\n{named('!ToJsonString [a]')}"),
    ("template-function",
     f"Conditions: {{C: !Equals [!GetAtt Topic.TopicName, a]}}\nResources:\n{TOPIC}",
     "Fn::GetAtt may not stand in a condition",
     f"Conditions: {{C: !Equals [!Join ['', [a]], a]}}\nResources:\n{TOPIC}"),
    (
        "template-attribute",
        resources(
            "  M: {Type: AWS::SageMaker::Model}\n  A: {Type: AWS::SNS::Topic, Properties: "
            "{TopicName: !GetAtt M.ModelNmae}}\n"
        ),
        "no attribute 'ModelNmae'; did you mean ModelName?",
        resources(
            "  M: {Type: AWS::SageMaker::Model}\n  A: {Type: AWS::SNS::Topic, Properties: "
            "{TopicName: !GetAtt M.ModelName, DisplayName: !GetAtt N.Outputs.Any}}\n"
            "  N: {Type: AWS::CloudFormation::Stack}\n"
        ),
    ),
    ("template-parameter", parameter("Default: a"), "is absent", parameter("Type: Number")),
    ("template-parameter", parameter("Type: Number, Default: ten"),
     "Default is 'ten'; it must be a number", parameter("Type: Number, Default: -1.5e3")),
    ("template-parameter", parameter("Type: Number, Default: 0, MinValue: 1"),
     "it must be a number not less than 1", parameter("Type: Number, Default: 1, MinValue: 1")),
    ("template-parameter", parameter("Type: Number, AllowedValues: [1, 11], MaxValue: 10"),
     "an allowed value is '11'; it must be a number not greater than 10",
     parameter("Type: Number, AllowedValues: [1, 10], MaxValue: 10")),
    ("template-parameter", parameter("Type: String, Default: Prod, AllowedPattern: '[a-z]+'"),
     "Default is 'Prod'; it must match pattern [a-z]+",
     parameter("Type: String, Default: Prod, AllowedPattern: '\\p{javaUpperCase}+'")),
    ("template-parameter", parameter("Type: CommaDelimitedList, Default: 'a, bc', MinLength: 2"),
     "it must contain at least 2 characters",
     parameter("Type: CommaDelimitedList, Default: 'ab, bc', MinLength: 2")),
    ("template-parameter", parameter("Type: String, Default: '', MinLength: 1"),
     "it must contain at least 1 characters",
     parameter("Type: 'AWS::SSM::Parameter::Value<String>', Default: /a/b, MaxLength: 1")),
    ("guardrail-old-fleet", taken_back_by("EndpointName", "VariantName"),
     "it watches the old instances, too",
     taken_back_by("EndpointName", "VariantName", "EndpointConfigName")),
    *(
        (
            "guardrail-scaling",
            waiting("${Endpoint.EndpointName}/variant/blue", 1800),
            "the update waits 1800 seconds in all, and until it has ended nothing scales blue",
            waiting(*right),
        )
        for right in (
            ("${Endpoint.EndpointName}/variant/blue", 1799),
            ("another/variant/blue", 1800),
        )
    ),
    ("template-limit", many(501), "there are 501 resources", many(500)),
    ("template-limit", "Resources: {a-b: {Type: AWS::SNS::Topic}}\n", "'a-b' is no logical id",
     f"Resources: {{{'a' * 255}: {{Type: AWS::SNS::Topic}}}}\n"),
    ("template-limit", f"Description: {'a' * 1025}\nResources:\n{TOPIC}",
     "Description has 1025 bytes", f"Description: {'a' * 1024}\nResources:\n{TOPIC}"),
]  # fmt: skip
