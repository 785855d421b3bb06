"""Functions, their code and settings: the API's actions that write them down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from local_aws.context import LocalContext
from local_aws.protocol import AwsError
from local_aws.services.lambda_.code import PATH, CodeStore, hex_of
from local_aws.services.lambda_.limits import (
    check_environment,
    check_handler,
    check_sizes,
    invalid,
    refusals,
)
from local_aws.services.lambda_.names import Target, conflict, find_function, find_version
from local_aws.services.lambda_.paging import page
from local_aws.services.lambda_.store import LATEST, Configuration, Function, Store, now_text
from local_aws.services.lambda_.versions import publish

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
    "SnapStart": {"ApplyOn": "None"},
}
"""What a function has when nobody said otherwise (Lambda API reference, CreateFunction, read
2026-11-21)."""

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
_CODE = ("ZipFile", "S3Bucket", "S3Key", "S3ObjectVersion")


class Functions:
    """Each method is an action of the API."""

    def __init__(self, context: LocalContext, store: Store, code: CodeStore) -> None:
        self._context = context
        self._store = store
        self._code = code

    def create_function(self, region: str, given: Parameters) -> Answer:
        """Keep a function and its zip."""
        name = Target.parse(given["FunctionName"], region).name
        _refuse(given)
        check_handler(given)
        self._check_role(given["Role"])
        function = Function(name, region, tags=dict(given.get("Tags") or {}))
        configuration = {
            **DEFAULTS,
            "FunctionName": name,
            "FunctionArn": function.arn,
            "Version": LATEST,
            "State": "Active",
            "LastUpdateStatus": "Successful",
            "Architectures": given.get("Architectures") or DEFAULTS["Architectures"],
            "LoggingConfig": {"LogFormat": "Text", "LogGroup": f"/aws/lambda/{name}"},
        }
        self._configure(configuration, given)
        self._load(configuration, given["Code"], region)
        function.versions[LATEST] = configuration
        with self._store.lock:
            if self._store.find(region, name) is not None:
                raise conflict(f"Function already exist: {name}")
            self._store.add(function)
            return publish(function) if given.get("Publish") else dict(configuration)

    def get_function(self, region: str, given: Parameters) -> Answer:
        """A version's configuration, where its zip can be read, the function's tags."""
        function, configuration = find_version(self._store, region, given)
        concurrency = function.reserved_concurrency
        digest = hex_of(configuration["CodeSha256"])
        seal = self._context.credentials.seal(digest)
        return {
            "Configuration": configuration,
            "Code": {
                "RepositoryType": "S3",
                "Location": f"{self._context.url}{PATH}{seal}/{digest}",
            },
            "Tags": function.tags,
            **({} if concurrency is None else {"Concurrency": _reserved(concurrency)}),
        }

    def get_function_configuration(self, region: str, given: Parameters) -> Answer:
        """A version's configuration."""
        return find_version(self._store, region, given)[1]

    def list_functions(self, region: str, given: Parameters) -> Answer:
        """The functions of the region; with FunctionVersion ALL, each of their versions."""
        every = given.get("FunctionVersion") == "ALL"
        found = [
            configuration
            for function in self._store.all(region)
            for version, configuration in function.versions.items()
            if every or version == LATEST
        ]
        return page("Functions", found, given)

    def update_function_code(self, region: str, given: Parameters) -> Answer:
        """Give the function another zip."""
        function = find_function(self._store, region, given)
        configuration = dict(function.versions[LATEST])
        _refuse({"ImageConfig": given.get("ImageUri")})
        if given.get("Architectures"):
            configuration["Architectures"] = given["Architectures"]
        self._load(configuration, given, region)
        if not given.get("DryRun"):
            self._replace(function, configuration, given)
        if given.get("Publish"):
            with self._store.lock:
                return publish(function)
        return configuration

    def update_function_configuration(self, region: str, given: Parameters) -> Answer:
        """Change what is given of the function's configuration."""
        function = find_function(self._store, region, given)
        configuration = dict(function.versions[LATEST])
        _refuse(given)
        if "Role" in given:
            self._check_role(given["Role"])
        self._configure(configuration, given)
        check_handler(configuration)
        self._replace(function, configuration, given)
        return configuration

    def delete_function(self, region: str, given: Parameters) -> Answer:
        """Forget a function, or one published version of it."""
        function = find_function(self._store, region, given)
        qualifier = given.get("Qualifier") or Target.parse(given["FunctionName"], region).qualifier
        with self._store.lock:
            if not qualifier:
                self._store.remove(function)
                return {}
            if qualifier == LATEST:
                raise invalid("$LATEST version cannot be deleted without deleting the function.")
            find_version(self._store, region, {**given, "Qualifier": qualifier})
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

    def _configure(self, configuration: Configuration, given: Parameters) -> None:
        variables = (given.get("Environment") or {}).get("Variables") or {}
        check_environment(variables)
        check_sizes(given)
        for name in _CONFIGURABLE:
            if given.get(name) is None:
                continue
            value = given[name]
            if name == "LoggingConfig":
                value = {**configuration["LoggingConfig"], **value}
            configuration[name] = value
        if "Environment" in given and not variables:
            configuration.pop("Environment", None)
        configuration |= {"LastModified": now_text(), "RevisionId": str(uuid4())}

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

    def _replace(self, function: Function, new: Configuration, given: Parameters) -> None:
        with self._store.lock:
            revision = given.get("RevisionId")
            if revision is not None and revision != function.versions[LATEST]["RevisionId"]:
                raise AwsError(
                    "PreconditionFailedException",
                    "The RevisionId provided does not match the latest RevisionId. Call the "
                    "GetFunction/GetAlias API to retrieve the latest RevisionId",
                    status=412,
                )
            function.versions[LATEST] = new

    def _check_role(self, arn: str) -> None:
        """Refuse a role that is not there or does not trust Lambda."""
        if not self._context.evaluator.trusts(arn, "lambda.amazonaws.com"):
            raise invalid("The role defined for the function cannot be assumed by Lambda.")


def _refuse(given: Parameters) -> None:
    found = refusals(given)
    if found:
        raise invalid(f"the local AWS cannot run this function: {'; '.join(found)}")


def _reserved(concurrency: int) -> Answer:
    return {"ReservedConcurrentExecutions": concurrency}
