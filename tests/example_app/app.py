"""Orders come by a queue; a function keeps them in a table."""

from __future__ import annotations

from pathlib import Path

import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from aws_cdk.aws_lambda_event_sources import SqsEventSource

app = cdk.App()
stack = cdk.Stack(app, "Orders")

queue = sqs.Queue(stack, "Queue")
table = dynamodb.Table(
    stack,
    "Table",
    partition_key=dynamodb.Attribute(name="id", type=dynamodb.AttributeType.STRING),
    removal_policy=cdk.RemovalPolicy.DESTROY,
)
keeper = lambda_.Function(
    stack,
    "Keeper",
    runtime=lambda_.Runtime.PYTHON_3_13,
    handler="keeper.handle",
    code=lambda_.Code.from_asset(str(Path(__file__).parent / "orders")),
    environment={"TABLE": table.table_name},
)
keeper.add_event_source(SqsEventSource(queue))
if app.node.try_get_context("may_write") != "no":
    table.grant_write_data(keeper)

cdk.CfnOutput(stack, "QueueUrl", value=queue.queue_url)
cdk.CfnOutput(stack, "TableName", value=table.table_name)
cdk.CfnOutput(stack, "KeeperName", value=keeper.function_name)

app.synth()
