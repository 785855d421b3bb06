"""How asynchronous events are tried again, and where their records go."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from local_aws.arn import Arn
from local_aws.protocol import AwsError
from local_aws.services.lambda_.limits import invalid
from local_aws.services.lambda_.names import (
    Target,
    absent,
    find_function,
    find_version,
    qualifier_of,
    version_of,
)
from local_aws.services.lambda_.paging import page
from local_aws.services.lambda_.records import ACTIONS, NOT_TOLD, Records, not_told
from local_aws.services.lambda_.store import LATEST, Function, Store, arn_of

Parameters = Mapping[str, Any]
Answer = dict[str, Any]


class InvokeConfigs:
    """Each method is an action of the API."""

    def __init__(self, store: Store, records: Records) -> None:
        self._store = store
        self._records = records

    def put_function_event_invoke_config(self, region: str, given: Parameters) -> Answer:
        """Set how asynchronous events are tried again and where their records go."""
        return self._set_invoke_config(region, given, dict)

    def update_function_event_invoke_config(self, region: str, given: Parameters) -> Answer:
        """Change what is given of it."""
        return self._set_invoke_config(region, given, lambda: self._invoke_config(region, given))

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
        function = self._store.find(region, Target.of(given, region).name)
        if function is None:
            raise absent("The function doesn't exist.")
        return page("FunctionEventInvokeConfigs", list(function.invoke_configs.values()), given)

    def _invoke_config(self, region: str, given: Parameters) -> Answer:
        target = Target.of(given, region)
        qualifier = target.qualifier or LATEST
        function = self._store.find(region, target.name)
        config = None if function is None else function.invoke_configs.get(qualifier)
        if config is None:
            arn = f"{arn_of(self._store.account, region, target.name)}:{qualifier}"
            raise absent(f"The function {arn} doesn't have an EventInvokeConfig")
        return config

    def _set_invoke_config(
        self, region: str, given: Parameters, base: Callable[[], Answer]
    ) -> Answer:
        settings = {name: given[name] for name in _INVOKE_CONFIG if given.get(name) is not None}
        if not settings:
            raise invalid("You must specify at least one of error handling or destination setting.")
        qualifier = qualifier_of(given, region) or LATEST
        try:
            function, configuration = find_version(self._store, region, given)
        except AwsError as error:
            raise absent("The function doesn't exist.") from error
        destinations = given.get("DestinationConfig") or {}
        self._check_destinations(function, configuration, destinations)
        config = {
            **base(),
            **settings,
            "FunctionArn": f"{function.arn}:{qualifier}",
            "LastModified": round(time.time(), 3),
        }
        config["DestinationConfig"] = {
            "OnSuccess": {},
            "OnFailure": {},
            **(config.get("DestinationConfig") or {}),
        }
        function.invoke_configs[qualifier] = config
        return config

    def _check_destinations(
        self, function: Function, configuration: Answer, destinations: Parameters
    ) -> None:
        for event, destination in destinations.items():
            arn = destination.get("Destination")
            if not arn:
                continue
            service = Arn.parse(arn).service
            if service in NOT_TOLD:
                raise invalid(not_told(event, arn))
            if service not in ACTIONS:
                said = ", ".join(
                    f"{which}=null"
                    if not (destinations.get(name) or {}).get("Destination")
                    else f"{which}={name}(destination={destinations[name]['Destination']})"
                    for which, name in (("onSuccess", "OnSuccess"), ("onFailure", "OnFailure"))
                )
                raise invalid(
                    f"The provided destination config DestinationConfig({said}) is invalid."
                )
            if service == "lambda":
                self._check_function(function, arn)
            self._records.check_destination(arn, configuration)

    def _check_function(self, function: Function, arn: str) -> None:
        """Raise `AwsError` for a destination that is not there, or the function itself."""
        region, _, resource = Arn.parse(arn)[2:]
        name, _, qualifier = resource.removeprefix("function:").partition(":")
        if (region, name) == (function.region, function.name):
            raise invalid("You can't specify the function as a destination for itself.")
        other = self._store.find(region, name)
        if other is None or version_of(other, qualifier or LATEST) not in other.versions:
            raise invalid(f"The destination ARN {arn} is invalid.")


_INVOKE_CONFIG = ("MaximumRetryAttempts", "MaximumEventAgeInSeconds", "DestinationConfig")
