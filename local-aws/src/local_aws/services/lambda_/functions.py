"""Functions, their code and settings: the API's actions that write them down."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from typing import Any
from uuid import uuid4

from botocore.exceptions import ClientError

from local_aws.arn import arn_in
from local_aws.context import LocalContext
from local_aws.services.lambda_ import sdk_for_node
from local_aws.services.lambda_.code import CodeStore
from local_aws.services.lambda_.layers import Layers, zips_of
from local_aws.services.lambda_.limits import (
    check_environment,
    check_handler,
    check_name,
    check_sizes,
    check_tags,
    invalid,
    refusals,
)
from local_aws.services.lambda_.names import (
    Target,
    check_revision,
    check_settled,
    conflict,
    find_function,
    find_version,
    qualified,
    qualifier_of,
)
from local_aws.services.lambda_.paging import page
from local_aws.services.lambda_.records import Records
from local_aws.services.lambda_.store import LATEST, Configuration, Function, Store, now_text
from local_aws.services.lambda_.versions import listed, publish

Parameters = Mapping[str, Any]
Answer = dict[str, Any]

DEFAULTS: Mapping[str, Any] = {
    "Description": "",
    "Timeout": 3,
    "MemorySize": 128,
    "PackageType": "Zip",
    "Architectures": ["x86_64"],
    "EphemeralStorage": {"Size": 512},
    "TracingConfig": {"Mode": "PassThrough"},
    "SnapStart": {"ApplyOn": "None", "OptimizationStatus": "Off"},
}
"""What a function has when nobody said otherwise (Lambda API reference, CreateFunction)."""

SETTLING_SECONDS = 0.1
"""How long a function is Pending, or its update InProgress; AWS takes some seconds, and says no
figure. Divided by the time scale."""

_CONFIGURABLE = (
    "DeadLetterConfig",
    "Description",
    "Environment",
    "EphemeralStorage",
    "Handler",
    "KMSKeyArn",
    "LoggingConfig",
    "MemorySize",
    "Role",
    "Runtime",
    "SnapStart",
    "Timeout",
    "TracingConfig",
    "VpcConfig",
)
_TAKEN_AWAY: Mapping[str, tuple[object, ...]] = {
    "DeadLetterConfig": ({}, {"TargetArn": ""}),
    "KMSKeyArn": ("",),
}
"""What is taken away by giving nothing, and is shown no more."""

_CODE = ("ZipFile", "S3Bucket", "S3Key", "S3ObjectVersion")


class Functions:
    """Each method is an action of the API."""

    def __init__(
        self,
        context: LocalContext,
        store: Store,
        code: CodeStore,
        layers: Layers,
        records: Records,
    ) -> None:
        self._context = context
        self._records = records
        self._store = store
        self._code = code
        self._layers = layers

    def create_function(self, region: str, given: Parameters) -> Answer:
        """Keep a function and its zip."""
        name = Target.parse(given["FunctionName"], region).name
        check_name(name)
        _refuse(given)
        check_handler(given)
        check_tags(given.get("Tags") or {})
        function = Function(name, region, self._store.account, tags=dict(given.get("Tags") or {}))
        configuration = {
            **DEFAULTS,
            "FunctionName": name,
            "FunctionArn": function.arn,
            "Version": LATEST,
            "Architectures": given.get("Architectures") or DEFAULTS["Architectures"],
            "LoggingConfig": {"LogFormat": "Text", "LogGroup": f"/aws/lambda/{name}"},
        }
        self._load(configuration, given["Code"], region)
        self._configure(configuration, given, region)
        self._provide(configuration)
        in_place_at = self._soon()
        function.make(LATEST, configuration, in_place_at=in_place_at)
        with self._store.lock:
            if self._store.find(region, name) is not None:
                raise conflict(f"Function already exist: {name}")
            self._store.add(function)
            if not given.get("Publish"):
                return dict(function.versions[LATEST])
            return {**publish(function, in_place_at=in_place_at), "FunctionArn": function.arn}

    def get_function(self, region: str, given: Parameters) -> Answer:
        """A version's configuration, where its zip can be read, the function's tags."""
        function, configuration = find_version(self._store, region, given)
        reserved = {"ReservedConcurrentExecutions": function.reserved_concurrency}
        tags = {"Tags": function.tags} if function.tags else {}
        return {
            "Configuration": _as_asked(function, configuration, given),
            "Code": {
                "RepositoryType": "S3",
                "Location": self._code.location(self._context, configuration["CodeSha256"]),
            },
            **tags,
            **({} if function.reserved_concurrency is None else {"Concurrency": reserved}),
        }

    def get_function_configuration(self, region: str, given: Parameters) -> Answer:
        """A version's configuration."""
        return _as_asked(*find_version(self._store, region, given), given)

    def list_functions(self, region: str, given: Parameters) -> Answer:
        """The functions of the region; with FunctionVersion ALL, each of their versions."""
        every = given.get("FunctionVersion") == "ALL"
        found = [
            configuration
            for function in self._store.all(region)
            for configuration in listed(function, every=every)
        ]
        return page("Functions", found, given)

    def update_function_code(self, region: str, given: Parameters) -> Answer:
        """Give the function another zip."""
        _refuse({"ImageConfig": given.get("ImageUri")})

        def changed(configuration: Configuration) -> None:
            if given.get("Architectures"):
                configuration["Architectures"] = given["Architectures"]
            self._load(configuration, given, region)

        return self._change(region, given, changed)

    def update_function_configuration(self, region: str, given: Parameters) -> Answer:
        """Change what is given of the function's configuration."""
        _refuse(given)

        def changed(configuration: Configuration) -> None:
            self._configure(configuration, given, region)
            check_handler(configuration)

        return self._change(region, given, changed)

    def delete_function(self, region: str, given: Parameters) -> Answer:
        """Forget a function, or one published version of it."""
        target = Target.of(given, region)
        qualifier = target.qualifier
        if qualifier == LATEST:
            raise invalid("$LATEST version cannot be deleted without deleting the function.")
        function = find_function(self._store, region, {"FunctionName": target.name})
        with self._store.lock:
            if not qualifier:
                self._store.remove(function)
                return {}
            using = [
                name
                for name, alias in function.aliases.items()
                if alias["FunctionVersion"] == qualifier
            ]
            if using:
                raise conflict(
                    f"Unable to delete version because the following aliases reference it: {using}"
                )
            function.versions.pop(qualifier, None)
        return {}

    def _configure(self, configuration: Configuration, given: Parameters, region: str) -> None:
        check_environment((given.get("Environment") or {}).get("Variables") or {})
        check_sizes(given)
        for name in _CONFIGURABLE:
            if given.get(name) is None:
                continue
            value = given[name]
            if value in _TAKEN_AWAY.get(name, ()):
                configuration.pop(name, None)
                continue
            if name in ("LoggingConfig", "SnapStart"):
                value = {**configuration[name], **value}
            if name == "LoggingConfig":
                value = _with_levels(value, given[name])
            if name == "VpcConfig":
                value = vpc_config(self._context.client("ec2", region), value)
            configuration[name] = value
        if given.get("Layers") is not None:
            self._layers.attach(configuration, given["Layers"], region)
        dead_letters = (configuration.get("DeadLetterConfig") or {}).get("TargetArn")
        if dead_letters and not given.keys().isdisjoint(("DeadLetterConfig", "Role")):
            self._records.check_dead_letters(dead_letters, configuration)
        configuration |= {
            "RuntimeVersionConfig": {"RuntimeVersionArn": _runtime_version(configuration, region)},
            "LastModified": now_text(),
            "RevisionId": str(uuid4()),
        }

    def _load(self, configuration: Configuration, source: Parameters, region: str) -> None:
        code = self._code.add(
            {name: source.get(name) for name in _CODE}, self._context.client("s3", region)
        )
        configuration |= {
            "CodeSha256": code.sha256,
            "CodeSize": code.size,
            "LastModified": now_text(),
            "RevisionId": str(uuid4()),
        }

    def _provide(self, configuration: Configuration) -> None:
        """Have what AWS's runtime has and the code asks for, or refuse the function."""
        if not configuration["Runtime"].startswith("nodejs"):
            return
        layers = zips_of(self._store, configuration)
        try:
            with self._context.write_lock.aside():
                sdk_for_node.provide(self._code.zips(configuration["CodeSha256"], *layers))
        except sdk_for_node.NotFetched as error:
            raise invalid(f"the local AWS cannot run this function: {error}") from None

    def _change(
        self, region: str, given: Parameters, changed: Callable[[Configuration], None]
    ) -> Answer:
        """Have ``changed`` change what $LATEST is, unless an earlier change is under way."""
        function = find_function(self._store, region, given)
        check_settled(function)
        configuration = dict(function.versions[LATEST])
        changed(configuration)
        self._provide(configuration)
        with self._store.lock:
            check_settled(function)
            check_revision(
                given, function.versions[LATEST]["RevisionId"], told_by="GetFunction/GetAlias"
            )
            if given.get("DryRun"):
                return configuration
            in_place_at = self._soon()
            function.change(configuration, in_place_at=in_place_at)
            if given.get("Publish"):
                return publish(function, in_place_at=in_place_at)
            return dict(function.versions[LATEST])

    def _soon(self) -> float:
        return time.time() + self._context.seconds(SETTLING_SECONDS)


def _as_asked(function: Function, configuration: Configuration, given: Parameters) -> Answer:
    """A version's configuration, whose ARN ends as the request named it."""
    qualifier = qualifier_of(given, function.region)
    return {**configuration, "FunctionArn": qualified(function.arn, qualifier)}


def _runtime_version(configuration: Configuration, region: str) -> str:
    """An ARN as AWS's runtime versions have it; which one AWS runs nobody here knows."""
    digest = hashlib.sha256(configuration["Runtime"].encode()).hexdigest()
    return arn_in(region, "lambda", "", f"runtime:{digest}")


def _refuse(given: Parameters) -> None:
    found = refusals(given)
    if found:
        raise invalid(f"the local AWS cannot run this function: {'; '.join(found)}")


def _with_levels(wanted: Answer, given: Parameters) -> Answer:
    """How a function logs, with the levels of JSON, which Text has not (recorded by LocalStack's
    suite, 2025)."""
    levels = ("ApplicationLogLevel", "SystemLogLevel")
    if wanted["LogFormat"] == "JSON":
        return {**dict.fromkeys(levels, "INFO"), **wanted}
    if any(given.get(level) for level in levels):
        raise invalid(
            'LogLevel is not supported when LogFormat is set to "Text". Remove LogLevel from your '
            'request or change the LogFormat to "JSON" and try again.'
        )
    return {name: value for name, value in wanted.items() if name not in levels}


def vpc_config(ec2: Any, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """A function's VpcConfig, as Lambda answers it. ``ec2`` is a client of the function's region.

    Security groups are looked for first, and nothing given takes the function out of its network.
    Raises AwsError InvalidParameterValueException (all recorded by LocalStack's suite, 2025).
    """
    subnets, groups = wanted.get("SubnetIds") or [], wanted.get("SecurityGroupIds") or []
    found: list[dict[str, Any]] = []
    operation = "DescribeSecurityGroups"
    try:
        if groups:
            ec2.describe_security_groups(GroupIds=groups)
        operation = "DescribeSubnets"
        if subnets:
            found = ec2.describe_subnets(SubnetIds=subnets)["Subnets"]
    except ClientError as error:
        said = error.response["Error"]
        raise invalid(
            f"Error occurred while {operation}. EC2 Error Code: {said['Code']}. EC2 Error Message: "
            f"{said['Message']}"
        ) from None
    return {
        "SubnetIds": subnets,
        "SecurityGroupIds": groups,
        "VpcId": found[0]["VpcId"] if found else "",
        "Ipv6AllowedForDualStack": wanted.get("Ipv6AllowedForDualStack", False),
    }
