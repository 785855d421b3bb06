"""Published versions and aliases of functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from local_aws.services.lambda_.limits import invalid
from local_aws.services.lambda_.names import (
    absent,
    check_revision,
    check_settled,
    conflict,
    find_alias,
    find_function,
)
from local_aws.services.lambda_.paging import page
from local_aws.services.lambda_.store import (
    LATEST,
    Configuration,
    Function,
    Store,
    what_runs,
    without_state,
)

Parameters = Mapping[str, Any]
Answer = dict[str, Any]


class Versions:
    """Each method is an action of the API."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def publish_version(self, region: str, given: Parameters) -> Answer:
        """Fix what the function is now under the next number."""
        function = find_function(self._store, region, given)
        check_settled(function)
        latest = function.versions[LATEST]
        check_revision(given, latest["RevisionId"], told_by="GetFunction/GetAlias")
        sha256 = given.get("CodeSha256")
        if sha256 is not None and sha256 != latest["CodeSha256"]:
            raise invalid(
                f"CodeSHA256 ({sha256}) is different from current CodeSHA256 in $LATEST "
                f"({latest['CodeSha256']}). Please try again with the CodeSHA256 in $LATEST."
            )
        with self._store.lock:
            return publish(function, given.get("Description"))

    def list_versions_by_function(self, region: str, given: Parameters) -> Answer:
        """Every version, $LATEST first."""
        function = find_function(self._store, region, given)
        return page("Versions", listed(function, every=True), given)

    def create_alias(self, region: str, given: Parameters) -> Answer:
        """Give a version a name."""
        function = find_function(self._store, region, given)
        name = given["Name"]
        with self._store.lock:
            if name in function.aliases:
                raise conflict(f"Alias already exists: {function.arn}:{name}")
            alias = {"AliasArn": f"{function.arn}:{name}", "Name": name, "Description": ""}
            return self._set_alias(function, alias, given)

    def update_alias(self, region: str, given: Parameters) -> Answer:
        """Let the name mean another version."""
        function = find_function(self._store, region, given)
        with self._store.lock:
            if given["Name"] not in function.aliases:
                raise absent(f"Alias not found: {function.arn}:{given['Name']}")
            alias = dict(function.aliases[given["Name"]])
            check_revision(given, alias["RevisionId"], told_by="GetFunction/GetAlias")
            return self._set_alias(function, alias, given)

    def get_alias(self, region: str, given: Parameters) -> Answer:
        """The alias."""
        return find_alias(find_function(self._store, region, given), given["Name"])

    def list_aliases(self, region: str, given: Parameters) -> Answer:
        """The function's aliases, or those of one version."""
        function = find_function(self._store, region, given)
        version = given.get("FunctionVersion")
        found = [
            each for each in function.aliases.values() if version in (None, each["FunctionVersion"])
        ]
        return page("Aliases", found, given)

    def delete_alias(self, region: str, given: Parameters) -> Answer:
        """Forget an alias; one that is not there is forgotten already."""
        function = find_function(self._store, region, given)
        with self._store.lock:
            function.aliases.pop(given["Name"], None)
        return {}

    def _set_alias(self, function: Function, alias: Answer, given: Parameters) -> Answer:
        if (given.get("RoutingConfig") or {}).get("AdditionalVersionWeights"):
            raise invalid("the local AWS has no weighted aliases (RoutingConfig)")
        version = given.get("FunctionVersion") or alias["FunctionVersion"]
        if version not in function.versions:
            raise absent(f"Function not found: {function.arn}:{version}")
        alias |= {
            "FunctionVersion": version,
            "Description": given.get("Description", alias["Description"]),
            "RevisionId": str(uuid4()),
        }
        function.aliases[alias["Name"]] = alias
        return alias


def publish(
    function: Function, description: str | None = None, *, in_place_at: float | None = None
) -> Configuration:
    """Fix what the function is; the newest version when nothing has changed, as Lambda has it.

    The version is in place at once, or ``in_place_at`` that time.
    """
    latest = function.versions[LATEST]
    newest = function.versions.get(str(function.published))
    if newest is not None and function.published_from == what_runs(latest):
        return newest
    function.published += 1
    number = str(function.published)
    version = {
        **latest,
        "Version": number,
        "FunctionArn": f"{function.arn}:{number}",
        "RevisionId": str(uuid4()),
    }
    if description is not None:
        version["Description"] = description
    if in_place_at is None:
        function.versions[number] = version
    else:
        function.make(number, version, in_place_at=in_place_at)
    function.published_from = what_runs(latest)
    function.revise()
    return function.versions[number]


def listed(function: Function, *, every: bool) -> list[Configuration]:
    """$LATEST, or every version, as lists have it: without its state, each under its own ARN."""
    versions = function.versions if every else {LATEST: function.versions[LATEST]}
    return [
        {
            **without_state(configuration),
            "FunctionArn": f"{function.arn}:{version}" if every else function.arn,
            "RuntimeVersionConfig": None,
        }
        for version, configuration in versions.items()
    ]
