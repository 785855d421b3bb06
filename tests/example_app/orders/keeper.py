"""Keeps every order of a batch of messages."""

from __future__ import annotations

import json
import os
from typing import Any

import boto3

table = boto3.resource("dynamodb").Table(os.environ["TABLE"])


def handle(event: dict[str, Any], context: object) -> None:
    """Put each message's order into the table."""
    for record in event["Records"]:
        order = json.loads(record["body"])
        table.put_item(Item={"id": order["id"], "amount": order["amount"]})
