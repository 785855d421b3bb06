"""Resources of any service that break the schema of their type, beside the nearest right ones.

The oracle is CloudFormation's template reference and each service's own;
cfn-lint 1.58.0 names each of the wrong ones, too, but for those that it takes as this project
does not (run 2026-11-23).
"""

from __future__ import annotations

_TRUST = "{Effect: Allow, Principal: {Service: ec2.amazonaws.com}, Action: 'sts:AssumeRole'}"
ROLE = f"AssumeRolePolicyDocument: {{Statement: {_TRUST}}}"
POLICY = "{Statement: {Effect: Allow, Action: '*', Resource: '*'}}"
FUNCTION = "Code: {S3Bucket: code-bucket, S3Key: k}, Role: !GetAtt Role.Arn"
ALARM = "ComparisonOperator: GreaterThanThreshold, EvaluationPeriods: 1"
MANAGED = "arn:aws:iam::aws:policy/ReadOnlyAccess"

Case = tuple[str, str, str, str, str]

CASES: list[Case] = [
    # the rule, the type, wrong properties, what is said, the nearest right ones
    ("schema-required", "IAM::Role", "Path: /", "AWS::IAM::Role needs AssumeRole", ROLE),
    ("schema-required", "IAM::Role", f"{ROLE}, Policies: [{{PolicyDocument: {POLICY}}}]",
     "Policies needs PolicyName; add it",
     f"{ROLE}, Policies: [{{PolicyDocument: {POLICY}, PolicyName: p}}]"),
    ("schema-required", "IAM::Policy", f"PolicyName: p, PolicyDocument: {POLICY}",
     "needs Users or Groups or Roles",
     f"PolicyName: p, PolicyDocument: {POLICY}, Roles: [!Ref Role]"),
    ("schema-required", "CloudFormation::CustomResource", "Name: a", "needs ServiceToken",
     "Name: a, ServiceToken: !Ref Token"),
    ("schema-unknown", "S3::Bucket", "BucketNmae: b",
     "no member 'BucketNmae'; did you mean BucketName?", "BucketName: bbb"),
    ("schema-unknown", "S3::Bucket", "VersioningConfiguration: {Status: Enabled, Enabled: true}",
     "VersioningConfiguration has no member 'Enabled'; it has Status",
     "VersioningConfiguration: {Status: Enabled}"),
    ("schema-action", "Lambda::Permission",
     "Action: lambda:InvokeFunction, FunctionName: a, Principal: all of them",
     "Principal is 'all of them'; it must be a text without blanks",
     "Action: lambda:InvokeFunction, FunctionName: a, Principal: events.amazonaws.com"),
    ("schema-read-only", "SNS::Topic", "TopicArn: a", "set by AWS alone", "TopicName: a"),
    ("schema-unknown", "Lambda::Function", f"{FUNCTION}, Environment: {{Variables: {{K: b}}}}",
     "names here must match", f"{FUNCTION}, Environment: {{Variables: {{K2: b}}}}"),
    ("schema-type", "Lambda::Function", f"{FUNCTION}, Timeout: long", "a whole number", FUNCTION),
    ("schema-type", "Lambda::Function", f"{FUNCTION}, MemorySize: 512.5",
     "MemorySize is 512.5; it must be a whole number", f"{FUNCTION}, MemorySize: '512'"),
    ("schema-type", "SQS::Queue", "FifoQueue: maybe", "true or false", "FifoQueue: 'true'"),
    ("schema-type", "SQS::Queue", "QueueName: null", "QueueName is null; it must be text", ""),
    ("schema-type", "S3::Bucket", "Tags: {a: b}", "must be a list", "Tags: [{Key: a, Value: b}]"),
    ("schema-type", "EC2::SecurityGroup", "GroupDescription: [a]",
     "GroupDescription is a list of 1; it must be text", "GroupDescription: 1"),
    ("schema-value", "S3::Bucket", "VersioningConfiguration: {Status: enabled}",
     "must be of Enabled, Suspended; did you mean Enabled?",
     "VersioningConfiguration: {Status: Suspended}"),
    ("schema-value", "Lambda::Function", f"{FUNCTION}, MemorySize: 64",
     "MemorySize is 64; it must be 128 to 32768", f"{FUNCTION}, MemorySize: 128"),
    ("schema-value", "Lambda::Function", f"{FUNCTION}, Description: {'a' * 257}",
     "of 257 characters; it must have at most 256 characters",
     f"{FUNCTION}, Description: {'a' * 256}"),
    ("schema-value", "SQS::Queue", "DelaySeconds: 901", "must be at most 900", "DelaySeconds: 900"),
    ("schema-value", "IAM::Role", f"{ROLE}, ManagedPolicyArns: [{MANAGED}, {MANAGED}]",
     "no entry may be there twice", f"{ROLE}, ManagedPolicyArns: [{MANAGED}, !Ref Policy]"),
    ("schema-value", "IAM::InstanceProfile", "Roles: [a, b]",
     "Roles is a list of 2; it must have at most 1 entries", "Roles: [!If [Big, a, b]]"),
    ("schema-value", "S3::Bucket", "BucketName: !If [Big, My_Bucket, !Ref AWS::NoValue]",
     "BucketName is 'My_Bucket'; it must match",
     "BucketName: !If [Big, my-bucket, !Ref AWS::NoValue]"),
    ("schema-added", "Events::Rule", "Name: a", "needs EventPattern or Sch", "EventPattern: {}"),
    ("schema-added", "EC2::SecurityGroupIngress",
     "IpProtocol: -1, GroupId: !Ref Group, CidrIp: 0.0.0.0/0, CidrIpv6: '::/0'",
     "has CidrIp and CidrIpv6, which exclude each other",
     "IpProtocol: -1, GroupId: !Ref Group, CidrIpv6: !If [Big, !Ref AWS::NoValue, '::/0'], "
     "CidrIp: !If [Big, 0.0.0.0/0, !Ref AWS::NoValue]"),
    ("schema-added", "CloudWatch::Alarm",
     f"{ALARM}, MetricName: m, Statistic: Sum, ExtendedStatistic: p99",
     "has ExtendedStatistic and Statistic, which exclude each other",
     f"{ALARM}, MetricName: m, ExtendedStatistic: p99"),
    ("schema-added", "ApplicationAutoScaling::ScalingPolicy",
     "PolicyName: p, PolicyType: StepScaling, ResourceId: a, ServiceNamespace: sagemaker, "
     "StepScalingPolicyConfiguration: {AdjustmentType: ChangeInCapacity}",
     "has ResourceId, which needs ScalableDimension",
     "PolicyName: p, PolicyType: StepScaling, ScalingTargetId: !Ref Target, "
     "StepScalingPolicyConfiguration: {AdjustmentType: ChangeInCapacity}"),
    ("schema-added", "EC2::Subnet", "VpcId: vpc-1, CidrBlock: 10.0.0.0/24",
     "VpcId is 'vpc-1'; it must be the id of a VPC", "VpcId: vpc-12345678, CidrBlock: 10.0.0.1/24"),
    ("schema-added", "EC2::VPC", "CidrBlock: 10.0.0.0",
     "must be an IPv4 network such as 10.0.0.0/16", "CidrBlock: !Ref Block"),
]  # fmt: skip
