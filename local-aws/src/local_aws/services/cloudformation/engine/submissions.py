"""A request's template, parameters and settings as a version of a stack, judged and planned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urlparse

from botocore.exceptions import ClientError

from local_aws.authentication.browsers import is_loopback
from local_aws.context import LocalContext
from local_aws.resources import ResourceTypes
from local_aws.s3_location import S3Location
from local_aws.services.cloudformation.engine.blueprint import Blueprint
from local_aws.services.cloudformation.engine.changes import (
    Plan,
    ReferencesAsPlanned,
    ReferencesOfRemoved,
    plan,
)
from local_aws.services.cloudformation.engine.checks import (
    check_capabilities,
    check_references,
    undeployable_types,
    undeployable_values,
)
from local_aws.services.cloudformation.engine.deployment import surroundings_of
from local_aws.services.cloudformation.engine.exports import Exports
from local_aws.services.cloudformation.engine.parameters import Parameter, resolve
from local_aws.services.cloudformation.engine.refusals import Refused, refuse, validation_error
from local_aws.services.cloudformation.engine.stacks import Resource, Stack, Version
from local_aws.services.cloudformation.engine.template import Template
from local_aws.services.cloudformation.engine.transforms import transformed
from local_aws.template import Names, Unknown

BODY_LIMIT_BYTES = 51_200
"""A TemplateBody's size (AWS CloudFormation quotas page)."""

URL_LIMIT_BYTES = 1_000_000
"""A template's size in S3 (same page)."""

Values = Mapping[str, Any]


class Submissions:
    """Judges what is asked for: nothing is made by it, and nothing is kept."""

    def __init__(self, context: LocalContext, types: ResourceTypes, exports: Exports) -> None:
        self._context = context
        self._types = types
        self._exports = exports

    def version(self, stack: Stack, values: Values) -> Version:
        """The version that a request asks for, its resources still the stack's own.

        Raises AwsError when the template, the parameters or the settings are refused, and
        `TransformFailed`.
        """
        version = self.asked(stack, values)
        version.processed = self._processed(stack, version.template, values)
        template = version.template
        check_references(template)
        check_capabilities(
            template,
            version.capabilities,
            expanded=version.processed is not None and "ChangeSetName" not in values,
        )
        version.parameters = self._parameters(stack, template, values)
        return version

    def asked(self, stack: Stack, values: Values) -> Version:
        """The version as the request has it, before anything is made of its template."""
        old = stack.version
        body = old.body if values.get("UsePreviousTemplate") else self.body(values, stack.region)
        tags = values.get("Tags")
        arns = values.get("NotificationARNs")
        return Version(
            body,
            {},
            dict(old.tags) if tags is None else {tag["Key"]: tag["Value"] for tag in tags},
            old.resources,
            old.outputs,
            old.imports,
            list(values.get("Capabilities", ())),
            list(old.notification_arns if arns is None else arns),
            values.get("RoleARN", old.role_arn),
        )

    def _parameters(self, stack: Stack, template: Template, values: Values) -> dict[str, Parameter]:
        return resolve(
            template,
            values.get("Parameters", []),
            stack.version.parameters,
            lambda names: self._ssm(names, stack.region),
        )

    def _processed(self, stack: Stack, template: Template, values: Values) -> str | None:
        """What transforms make of a template; a NoEcho parameter's value never gets into it."""
        if not template.is_transformed:
            return None
        parameters = self._parameters(stack, template, values)
        surroundings = surroundings_of(stack, stack.version, self._context.account_id)
        known = {
            **surroundings.pseudo_parameters(),
            **{key: each.reference for key, each in parameters.items() if not each.no_echo},
        }
        return transformed(template, Names(known))

    def plan(self, stack: Stack, version: Version) -> Plan:
        """What deploying the version would change.

        Raises AwsError ``ValidationError`` when its rules do not hold or it cannot be deployed.
        """
        as_planned = ReferencesAsPlanned(
            stack.version.resources, lambda name: self._exports.find(stack.region, name)
        )
        blueprint = Blueprint(
            version,
            surroundings_of(stack, version, self._context.account_id),
            as_planned,
            as_planned.imported,
        )
        refuse(blueprint.broken_rules())
        before = Blueprint(
            stack.version,
            surroundings_of(stack, stack.version, self._context.account_id),
            ReferencesOfRemoved(),
            lambda name: Unknown(),
        )
        problems = undeployable_types(
            blueprint.template, blueprint.resources, self._types, self._context, stack.region
        )
        _refuse_changed_types(stack.version, blueprint)
        try:
            planned = plan(stack.version, version, before, blueprint, as_planned, stack.region)
        except Refused:
            refuse(problems)
            raise
        wanted = [change.wanted for change in planned.changes if change.wanted is not None]
        refuse([*problems, *undeployable_values(wanted, self._types, strict=self._context.strict)])
        refuse(self._lacking(wanted, stack.region))
        return planned

    def _lacking(self, wanted: Sequence[Resource], region: str) -> list[str]:
        """What this machine lacks for the resources, a line for all that lack the same."""
        lacking: dict[str, list[str]] = {}
        with self._context.write_lock.aside():
            for each in wanted:
                provider = self._types.provider_of(each.type)
                found = provider.lacks(self._context, region, each.properties) if provider else ()
                for problem in found:
                    lacking.setdefault(problem, []).append(each.logical_id)
        return [f"Resource {', '.join(names)}: {what}" for what, names in lacking.items()]

    def body(self, values: Values, region: str) -> str:
        """The text of TemplateBody, or of the object that TemplateURL names in the local S3."""
        if "TemplateBody" in values:
            body: str = values["TemplateBody"]
            _check_size("templateBody", body, BODY_LIMIT_BYTES)
            return body
        if "TemplateURL" not in values:
            raise validation_error("Either Template URL or Template Body must be specified.")
        body = self._download(values["TemplateURL"], region)
        _check_size("templateURL", body, URL_LIMIT_BYTES)
        return body

    def _download(self, url: str, region: str) -> str:
        bucket, key = s3_place(url)
        try:
            answer = self._context.client("s3", region).get_object(Bucket=bucket, Key=key)
        except ClientError as error:
            raise validation_error(f"S3 error: {error.response['Error']['Message']}") from None
        text: str = answer["Body"].read().decode()
        return text

    def _ssm(self, names: Sequence[str], region: str) -> dict[str, str]:
        client = self._context.client("ssm", region)
        found: dict[str, str] = {}
        for start in range(0, len(names), 10):
            answer = client.get_parameters(Names=list(names[start : start + 10]))
            found |= {each["Name"]: each["Value"] for each in answer["Parameters"]}
        return found


def s3_place(url: str) -> tuple[str, str]:
    """The bucket and key of a template's URL, S3's own or one of this local AWS.

    Raises AwsError ``ValidationError`` for any other, ``s3://bucket/key`` too.
    """
    parts = urlparse(url)
    if parts.scheme in ("http", "https"):
        found = S3Location.find(url)
        if found is not None:
            return found.bucket, found.key
        path = unquote(parts.path).lstrip("/")
        host = parts.hostname or ""
        bucket, dot, service = host.partition(".")
        if dot and service == "localhost":
            return bucket, path
        bucket, slash, key = path.partition("/")
        if slash and is_loopback(host):
            return bucket, key
    elif parts.netloc:
        raise validation_error(
            f"S3 error: Domain name specified in {parts.netloc} is not a valid S3 domain"
        )
    raise validation_error("TemplateURL must be a supported URL.")


def _check_size(name: str, body: str, limit: int) -> None:
    size = len(body.encode())
    if size > limit:
        raise validation_error(
            f"1 validation error detected: Value at '{name}' failed to satisfy constraint: Member "
            f"must have length less than or equal to {limit}, not {size}"
        )


def _refuse_changed_types(old: Version, blueprint: Blueprint) -> None:
    changed = [
        logical_id
        for logical_id, definition in blueprint.resources.items()
        if (current := old.resources.get(logical_id)) is not None
        and current.type != definition["Type"]
        and current.status != "CREATE_FAILED"
    ]
    if changed:
        raise validation_error(
            "Update of resource type is not permitted. The new template modifies resource type of "
            f"the following resources: [{', '.join(changed)}]"
        )
