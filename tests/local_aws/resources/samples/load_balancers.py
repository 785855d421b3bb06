"""Load balancers of version 2."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import Any

from tests.local_aws.resources.samples.sample import TAGS, Sample

_VPC = {"VpcId": {"Ref": "Vpc"}}
_LISTENER = (
    "elbv2 DescribeListeners ListenerArns=[{Ref}]",
    "elbv2 DescribeListenerAttributes ListenerArn={Ref}",
)
_CERTIFICATE = "arn:aws:iam::123456789012:server-certificate/ground"
_ACTIONS: tuple[dict[str, Any], ...] = (
    {"Type": "forward", "Order": 37, "TargetGroupArn": "$Targets"},
    {
        "Type": "forward",
        "ForwardConfig": {
            "TargetGroups": [{"TargetGroupArn": "$Targets", "Weight": 37}],
            "TargetGroupStickinessConfig": {"Enabled": True, "DurationSeconds": 41},
        },
    },
    {
        "Type": "fixed-response",
        "FixedResponseConfig": {
            "StatusCode": "437",
            "ContentType": "text/html",
            "MessageBody": "lost",
        },
    },
    {
        "Type": "redirect",
        "RedirectConfig": {
            "StatusCode": "HTTP_301",
            "Host": "lost.example",
            "Path": "/lost",
            "Port": "4137",
            "Protocol": "HTTPS",
            "Query": "lost=1",
        },
    },
)
_CONDITIONS: tuple[dict[str, Any], ...] = (
    {"Field": "path-pattern", "Values": ["/lost"]},
    {"Field": "path-pattern", "PathPatternConfig": {"Values": ["/lost"]}},
    {"Field": "host-header", "HostHeaderConfig": {"Values": ["lost.example"]}},
    {
        "Field": "http-header",
        "HttpHeaderConfig": {"HttpHeaderName": "X-Lost", "Values": ["lost"]},
    },
    {"Field": "http-request-method", "HttpRequestMethodConfig": {"Values": ["PATCH"]}},
    {
        "Field": "query-string",
        "QueryStringConfig": {"Values": [{"Key": "lost", "Value": "found"}]},
    },
    {"Field": "source-ip", "SourceIpConfig": {"Values": ["10.37.0.0/16"]}},
)

GROUND: Mapping[str, Mapping[str, Any]] = {
    "Balancer": {
        "Type": "AWS::ElasticLoadBalancingV2::LoadBalancer",
        "Properties": {"Subnets": [{"Ref": "Subnet"}, {"Ref": "Second"}]},
    },
    "Targets": {
        "Type": "AWS::ElasticLoadBalancingV2::TargetGroup",
        "Properties": {**_VPC, "Port": 80, "Protocol": "HTTP"},
    },
    "Listener": {
        "Type": "AWS::ElasticLoadBalancingV2::Listener",
        "Properties": {
            "LoadBalancerArn": {"Ref": "Balancer"},
            "Port": 80,
            "Protocol": "HTTP",
            "DefaultActions": [{"Type": "forward", "TargetGroupArn": {"Ref": "Targets"}}],
        },
    },
}
"""What they refer to, beside the network's."""

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "AWS::ElasticLoadBalancingV2::LoadBalancer": (
        Sample(
            (
                "elbv2 DescribeLoadBalancers LoadBalancerArns=[{Ref}]",
                "elbv2 DescribeLoadBalancerAttributes LoadBalancerArn={Ref}",
                "elbv2 DescribeTags ResourceArns=[{Ref}]",
            ),
            {
                "Name": "lost",
                "Scheme": "internal",
                "Type": "application",
                "IpAddressType": "dualstack",
                "SecurityGroups": ["$Firewall.GroupId"],
                "Subnets": ["$Subnet", "$Second"],
                "LoadBalancerAttributes": [{"Key": "idle_timeout.timeout_seconds", "Value": "37"}],
                "Tags": TAGS,
            },
            needs=("Subnets", "SecurityGroups", "Type"),
        ),
    ),
    "AWS::ElasticLoadBalancingV2::TargetGroup": (
        Sample(
            (
                "elbv2 DescribeTargetGroups TargetGroupArns=[{Ref}]",
                "elbv2 DescribeTargetGroupAttributes TargetGroupArn={Ref}",
                "elbv2 DescribeTargetHealth TargetGroupArn={Ref}",
                "elbv2 DescribeTags ResourceArns=[{Ref}]",
            ),
            {
                "Name": "lost",
                "VpcId": "$Vpc",
                "Port": 8137,
                "Protocol": "HTTP",
                "ProtocolVersion": "HTTP2",
                "TargetType": "ip",
                "IpAddressType": "ipv4",
                "HealthCheckEnabled": True,
                "HealthCheckIntervalSeconds": 37,
                "HealthCheckPath": "/lost",
                "HealthCheckPort": "8139",
                "HealthCheckProtocol": "HTTPS",
                "HealthCheckTimeoutSeconds": 31,
                "HealthyThresholdCount": 7,
                "UnhealthyThresholdCount": 9,
                "Matcher": {"HttpCode": "211"},
                "TargetGroupAttributes": [
                    {"Key": "deregistration_delay.timeout_seconds", "Value": "41"}
                ],
                "Targets": [{"Id": "10.0.1.37", "Port": 8143}],
                "Tags": TAGS,
            },
            needs=(
                "VpcId",
                "Port",
                "Protocol",
                "TargetType",
                "IpAddressType",
                "HealthCheckEnabled",
            ),
        ),
    ),
    "AWS::ElasticLoadBalancingV2::Listener": (
        *(
            Sample(
                (*_LISTENER, "elbv2 DescribeTags ResourceArns=[{Ref}]"),
                {
                    "LoadBalancerArn": "$Balancer",
                    "Port": 4171,
                    "Protocol": "HTTP",
                    "DefaultActions": [action],
                    "Tags": TAGS,
                },
                needs=("Port", "Protocol"),
            )
            for action in _ACTIONS
        ),
        Sample(
            _LISTENER,
            {
                "LoadBalancerArn": "$Balancer",
                "Port": 4173,
                "Protocol": "HTTPS",
                "Certificates": [{"CertificateArn": _CERTIFICATE}],
                "SslPolicy": "ELBSecurityPolicy-TLS-1-2-2017-01",
                "AlpnPolicy": ["HTTP2Preferred"],
                "DefaultActions": [_ACTIONS[0]],
                "ListenerAttributes": [
                    {"Key": "routing.http.response.server.enabled", "Value": "false"}
                ],
            },
            needs=("Port", "Protocol", "Certificates"),
        ),
    ),
    "AWS::ElasticLoadBalancingV2::ListenerRule": tuple(
        Sample(
            ("elbv2 DescribeRules RuleArns=[{Ref}]", "elbv2 DescribeTags ResourceArns=[{Ref}]"),
            {
                "ListenerArn": "$Listener",
                "Priority": 37,
                "Actions": [action],
                "Conditions": [condition],
                "Tags": TAGS,
            },
            needs=("ListenerArn",),
            unread={"ListenerArn": "it shows in the rule's ARN"},
        )
        for action, condition in zip(cycle(_ACTIONS), _CONDITIONS, strict=False)
    ),
}
