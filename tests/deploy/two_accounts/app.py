"""A shop in one account, whose function reads and writes what a bank in another one has.

``-c granted=yes`` gives the function's role what the bank's bucket lets it do.
"""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_s3_deployment as deployment

REGION, HERE, THERE = "eu-west-1", "123456789012", "111111111111"

app = cdk.App()

shop = cdk.Stack(app, "Shop", env=cdk.Environment(account=HERE, region=REGION))
role = iam.Role(
    shop,
    "Role",
    role_name="seller",
    assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
    managed_policies=[
        iam.ManagedPolicy.from_aws_managed_policy_name("service-role/AWSLambdaBasicExecutionRole")
    ],
)

bank = cdk.Stack(app, "Bank", env=cdk.Environment(account=THERE, region=REGION))
bank.add_stack_dependency(shop)  # a trust policy names a role that is there
table = dynamodb.Table(
    bank,
    "Orders",
    table_name="orders",
    partition_key=dynamodb.Attribute(name="id", type=dynamodb.AttributeType.STRING),
    removal_policy=cdk.RemovalPolicy.DESTROY,
)
prices = s3.Bucket(
    bank,
    "Prices",
    bucket_name="bank-prices",
    removal_policy=cdk.RemovalPolicy.DESTROY,
    auto_delete_objects=True,
)
deployment.BucketDeployment(
    bank, "Files", destination_bucket=prices, sources=[deployment.Source.data("price.txt", "42")]
)
writer = iam.Role(bank, "Writer", role_name="writer", assumed_by=iam.ArnPrincipal(role.role_arn))
table.grant_write_data(writer)
prices.add_to_resource_policy(
    iam.PolicyStatement(
        principals=[iam.ArnPrincipal(role.role_arn)],
        actions=["s3:GetObject"],
        resources=[prices.arn_for_objects("*")],
    )
)

writers_arn = f"arn:aws:iam::{THERE}:role/writer"
role.add_to_policy(iam.PolicyStatement(actions=["sts:AssumeRole"], resources=[writers_arn]))
if app.node.try_get_context("granted") == "yes":
    objects = "arn:aws:s3:::bank-prices/*"
    role.add_to_policy(iam.PolicyStatement(actions=["s3:GetObject"], resources=[objects]))
lambda_.Function(
    shop,
    "Sell",
    function_name="sell",
    runtime=lambda_.Runtime.PYTHON_3_12,
    handler="index.handler",
    code=lambda_.Code.from_asset("function"),
    role=role,
    environment={"ROLE": writers_arn, "BUCKET": "bank-prices"},
    timeout=cdk.Duration.seconds(30),
)
app.synth()
