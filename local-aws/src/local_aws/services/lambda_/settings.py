"""What is set beside a function's configuration: policy, tags, concurrency, event invoke config."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from local_aws.protocol import AwsError
from local_aws.services.lambda_.limits import invalid
from local_aws.services.lambda_.names import conflict, find_function, find_version, qualifier_of
from local_aws.services.lambda_.paging import page
from local_aws.services.lambda_.store import LATEST, Function, Store

Parameters = Mapping[str, Any]
Answer = dict[str, Any]


class Settings:
    """Each method is an action of the API."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add_permission(self, region: str, given: Parameters) -> Answer:
        """Add a statement to the policy of the function, or of a version or alias of it."""
        function, _ = find_version(self._store, region, given)
        qualifier = qualifier_of(given, region)
        resource = f"{function.arn}:{qualifier}" if qualifier else function.arn
        statement = _statement(given, resource)
        with self._store.lock:
            statements = function.policies.setdefault(qualifier, [])
            if any(each["Sid"] == statement["Sid"] for each in statements):
                raise conflict(
                    f"The statement id ({statement['Sid']}) provided already exists. Please "
                    "provide a new statement id, or remove the existing statement."
                )
            statements.append(statement)
        return {"Statement": json.dumps(statement)}

    def remove_permission(self, region: str, given: Parameters) -> Answer:
        """Take a statement out of the policy."""
        function = find_function(self._store, region, given)
        statements = function.policies.get(qualifier_of(given, region), [])
        with self._store.lock:
            kept = [each for each in statements if each["Sid"] != given["StatementId"]]
            if len(kept) == len(statements):
                raise _absent(f"Statement {given['StatementId']} is not found in resource policy.")
            statements[:] = kept
        return {}

    def get_policy(self, region: str, given: Parameters) -> Answer:
        """The policy's text."""
        function = find_function(self._store, region, given)
        statements = function.policies.get(qualifier_of(given, region), [])
        if not statements:
            raise _absent("The resource you requested does not exist.")
        policy = {"Version": "2012-10-17", "Id": "default", "Statement": statements}
        return {"Policy": json.dumps(policy), "RevisionId": str(uuid4())}

    def tag_resource(self, region: str, given: Parameters) -> Answer:
        """Add tags to a function."""
        self._tagged(region, given).tags.update(given["Tags"])
        return {}

    def untag_resource(self, region: str, given: Parameters) -> Answer:
        """Take tags from a function."""
        tags = self._tagged(region, given).tags
        for key in given["TagKeys"]:
            tags.pop(key, None)
        return {}

    def list_tags(self, region: str, given: Parameters) -> Answer:
        """The function's tags."""
        return {"Tags": dict(self._tagged(region, given).tags)}

    def put_function_concurrency(self, region: str, given: Parameters) -> Answer:
        """Reserve executions for a function; with 0 it runs no more."""
        function = find_function(self._store, region, given)
        function.reserved_concurrency = given["ReservedConcurrentExecutions"]
        return {"ReservedConcurrentExecutions": function.reserved_concurrency}

    def get_function_concurrency(self, region: str, given: Parameters) -> Answer:
        """What is reserved, when anything is."""
        concurrency = find_function(self._store, region, given).reserved_concurrency
        return {} if concurrency is None else {"ReservedConcurrentExecutions": concurrency}

    def delete_function_concurrency(self, region: str, given: Parameters) -> Answer:
        """Reserve nothing any more."""
        find_function(self._store, region, given).reserved_concurrency = None
        return {}

    def put_function_event_invoke_config(self, region: str, given: Parameters) -> Answer:
        """Set how asynchronous events are tried again and where their records go."""
        return self._set_invoke_config(region, given, {})

    def update_function_event_invoke_config(self, region: str, given: Parameters) -> Answer:
        """Change what is given of it."""
        return self._set_invoke_config(region, given, self._invoke_config(region, given))

    def get_function_event_invoke_config(self, region: str, given: Parameters) -> Answer:
        """It, when it is set."""
        return self._invoke_config(region, given)

    def delete_function_event_invoke_config(self, region: str, given: Parameters) -> Answer:
        """Go back to two retries and no destinations."""
        self._invoke_config(region, given)
        function = find_function(self._store, region, given)
        del function.invoke_configs[qualifier_of(given, region) or LATEST]
        return {}

    def list_function_event_invoke_configs(self, region: str, given: Parameters) -> Answer:
        """Those of the function's versions and aliases."""
        function = find_function(self._store, region, given)
        return page("FunctionEventInvokeConfigs", list(function.invoke_configs.values()), given)

    def _invoke_config(self, region: str, given: Parameters) -> Answer:
        function = find_function(self._store, region, given)
        qualifier = qualifier_of(given, region) or LATEST
        config = function.invoke_configs.get(qualifier)
        if config is None:
            raise _absent(
                f"The function {function.arn}:{qualifier} doesn't have an EventInvokeConfig"
            )
        return config

    def _set_invoke_config(self, region: str, given: Parameters, base: Answer) -> Answer:
        function, _ = find_version(self._store, region, given)
        qualifier = qualifier_of(given, region) or LATEST
        config = {
            "DestinationConfig": {"OnSuccess": {}, "OnFailure": {}},
            **base,
            **{
                name: given[name]
                for name in (
                    "MaximumRetryAttempts",
                    "MaximumEventAgeInSeconds",
                    "DestinationConfig",
                )
                if given.get(name) is not None
            },
            "FunctionArn": f"{function.arn}:{qualifier}",
            "LastModified": round(time.time(), 3),
        }
        function.invoke_configs[qualifier] = config
        return config

    def _tagged(self, region: str, given: Parameters) -> Function:
        if ":function:" not in given["Resource"]:
            raise invalid(f"the local AWS tags functions only, not {given['Resource']}")
        return find_function(self._store, region, {"FunctionName": given["Resource"]})


def _statement(given: Parameters, resource: str) -> Answer:
    principal = given["Principal"]
    kind = "Service" if principal.endswith((".amazonaws.com", ".amazonaws.com.cn")) else "AWS"
    condition: dict[str, dict[str, str]] = {}
    for member, operator, key in _CONDITIONS:
        if given.get(member) is not None:
            condition.setdefault(operator, {})[key] = str(given[member])
    return {
        "Sid": given["StatementId"],
        "Effect": "Allow",
        "Principal": principal if principal == "*" else {kind: principal},
        "Action": given["Action"],
        "Resource": resource,
        **({"Condition": condition} if condition else {}),
    }


_CONDITIONS = (
    ("SourceArn", "ArnLike", "AWS:SourceArn"),
    ("SourceAccount", "StringEquals", "AWS:SourceAccount"),
    ("PrincipalOrgID", "StringEquals", "aws:PrincipalOrgID"),
    ("EventSourceToken", "StringEquals", "lambda:EventSourceToken"),
    ("FunctionUrlAuthType", "StringEquals", "lambda:FunctionUrlAuthType"),
)


def _absent(message: str) -> AwsError:
    return AwsError("ResourceNotFoundException", message, status=404)
