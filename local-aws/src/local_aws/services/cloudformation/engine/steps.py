"""One resource at a time: its provider is called, its status and events are kept."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Container, Mapping
from contextlib import nullcontext
from dataclasses import replace
from threading import Event
from typing import Any
from uuid import uuid4

from botocore.exceptions import BotoCoreError, ClientError

from local_aws.context import LocalContext
from local_aws.protocol import AwsError
from local_aws.resources import ResourceTypes
from local_aws.resources.base import Cancelled, Made, Provider, Request, ResourceFailed
from local_aws.services.cloudformation.engine.refusals import Refused
from local_aws.services.cloudformation.engine.stacks import Resource, Stack

_log = logging.getLogger(__name__)

REPLACING = "Requested update requires the creation of a new physical resource; hence creating one."

_HANDLER_CODES = (
    ("AlreadyExist", "AlreadyExists"),
    ("AlreadyOwned", "AlreadyExists"),
    ("NotFound", "NotFound"),
    ("NoSuch", "NotFound"),
    ("DoesNotExist", "NotFound"),
    ("AccessDenied", "AccessDenied"),
    ("Throttl", "Throttling"),
    ("LimitExceeded", "ServiceLimitExceeded"),
    ("Validation", "InvalidRequest"),
    ("Invalid", "InvalidRequest"),
    ("Malformed", "InvalidRequest"),
)
"""A service's error code, by a part of it, as CloudFormation's handlers classify it."""


_EXPRESS = (
    "Resource operation completed using Express Mode. It may continue becoming available in the "
    "background."
)
"""As the CDK CLI shows it (aws/aws-cdk-cli#1689)."""


class StepFailed(Exception):
    """A resource's step failed; its record and the stack's history say why."""


class Steps:
    """The steps of one operation on one stack; ``stop`` cancels those that wait.

    In Express mode nothing waits for a resource to become ready, but for one of ``awaited``, which
    others are made by.
    """

    def __init__(self, context: LocalContext, types: ResourceTypes, stack: Stack) -> None:
        self._context = context
        self._types = types
        self._stack = stack
        self.awaited: Container[str] = ()
        self.stop = Event()

    def create(self, resource: Resource, *, replacing: bool = False) -> None:
        """Make a resource; on failure its record keeps the physical id, if it has one."""
        verb = "UPDATE" if replacing else "CREATE"
        self._stack.set_resource_status(
            resource, f"{verb}_IN_PROGRESS", REPLACING if replacing else None
        )

        def work(provider: Provider) -> None:
            wanted = self._wanted(resource)
            # Made and known to be made, or neither; what takes long claims its id by itself.
            with nullcontext() if provider.takes_long else self._context.write_lock.step():
                made = provider.create(self._request(resource, wanted))
                resource.physical_id = made.physical_id if isinstance(made, Made) else made
            self._stack.set_resource_status(
                resource, f"{verb}_IN_PROGRESS", "Resource creation Initiated"
            )
            if isinstance(made, Made):
                resource.attributes, resource.no_echo = made.attributes, made.no_echo
            else:
                resource.attributes = provider.complete(self._request(resource, wanted))

        self._do(resource, verb, work, cancelled="Resource creation cancelled")

    def adopt(self, resource: Resource, physical_id: str) -> None:
        """Take what exists already for a resource, as it is."""
        resource.physical_id = physical_id
        self._stack.set_resource_status(resource, "IMPORT_IN_PROGRESS", "Resource import started.")

        def work(provider: Provider) -> None:
            wanted = self._wanted(resource)
            resource.attributes = provider.adopt(self._request(resource, wanted, wanted))

        self._do(resource, "IMPORT", work, cancelled="Resource import cancelled")

    def update(self, resource: Resource, wanted: Resource, *, restoring: bool = False) -> None:
        """Change a resource in place to ``wanted``; on failure it may be anything between.

        ``restoring``: ``wanted`` is what it was before. One that answers with another physical id
        has been replaced: the old one stays until the cleanup.
        """
        self._stack.set_resource_status(resource, "UPDATE_IN_PROGRESS")

        def work(provider: Provider) -> None:
            old = replace(resource)
            provider.refuse_unchangeable(old.properties, wanted.properties)
            resource.take(wanted)
            change = provider.restore if restoring else provider.update
            made = change(self._request(resource, self._wanted(resource), old.properties))
            if not isinstance(made, Made):
                resource.attributes = made
                return
            resource.attributes, resource.no_echo = made.attributes, made.no_echo
            if made.physical_id != old.physical_id:
                self._stack.obsolete.append(old)
                resource.physical_id = made.physical_id
                self._stack.set_resource_status(resource, "UPDATE_IN_PROGRESS", REPLACING)

        self._do(resource, "UPDATE", work, cancelled="Resource update cancelled")

    def delete(self, resource: Resource, *, retain: bool = False) -> None:
        """Delete a resource, or let go of it when it is to be retained."""
        if retain:
            self._stack.set_resource_status(resource, "DELETE_SKIPPED")
            return
        if not resource.physical_id:
            return
        self._stack.set_resource_status(resource, "DELETE_IN_PROGRESS")

        def work(provider: Provider) -> None:
            provider.delete(self._request(resource, resource.properties))

        self._do(resource, "DELETE", work, cancelled="Resource deletion cancelled")

    def finish(self, resource: Resource) -> None:
        """Let a resource clean up after its update; a failure is the resource's own."""
        provider = self._types.provider_of(resource.type, resource.kept)
        if provider is not None:
            provider.finish(self._request(resource, resource.properties))

    def refresh(self, resource: Resource, attribute: str) -> None:
        """Read a resource's attributes anew where ``attribute`` is one that others change."""
        provider = self._types.provider_of(resource.type, resource.kept)
        if provider is not None and attribute in provider.live:
            resource.attributes = provider.attributes_now(
                self._request(resource, resource.properties)
            )

    def _do(
        self, resource: Resource, verb: str, work: Callable[[Provider], None], *, cancelled: str
    ) -> None:
        provider = self._types.provider_of(resource.type, resource.kept)
        assert provider is not None, f"{resource.type} was not refused beforehand"
        try:
            work(provider)
        except Cancelled:
            self._stack.set_resource_status(resource, f"{verb}_FAILED", cancelled)
            raise
        except Exception as error:
            self._stack.set_resource_status(resource, f"{verb}_FAILED", reason_of(error))
            raise StepFailed from error
        told = None if verb == "DELETE" else resource.told
        if provider.settles and verb != "DELETE" and self._is_express(resource):
            told = _EXPRESS
        self._stack.set_resource_status(resource, f"{verb}_COMPLETE", told)

    def _is_express(self, resource: Resource) -> bool:
        return self._stack.express and resource.logical_id not in self.awaited

    def _wanted(self, resource: Resource) -> dict[str, Any]:
        """The properties with their dynamic references resolved: for the service.

        Of those that hold no secret the resource keeps what they are.
        """

        def client(service: str) -> Any:
            return self._context.client(service, self._stack.region)

        public = resolve(resource.properties, client, public=True)
        resource.resolved = {
            name: value for name, value in public.items() if value != resource.properties[name]
        }
        wanted: dict[str, Any] = resolve(public, client)
        return wanted

    def _request(
        self,
        resource: Resource,
        properties: Mapping[str, Any],
        previous: Mapping[str, Any] | None = None,
    ) -> Request:
        return Request(
            context=self._context,
            region=self._stack.region,
            stack_name=self._stack.name,
            stack_id=self._stack.stack_id,
            logical_id=resource.logical_id,
            type_name=resource.type,
            properties=properties,
            previous=previous or {},
            physical_id=resource.physical_id,
            attributes=resource.attributes,
            express=self._is_express(resource),
            stop=self.stop,
            claim=lambda physical_id: setattr(resource, "physical_id", physical_id),
        )


def reason_of(error: Exception) -> str:
    """A failure as CloudFormation words it: the service's message and a handler error code.

    The log has where a failure of the local AWS's own comes from.
    """
    if isinstance(error, Refused):
        return str(error)
    if isinstance(error, ResourceFailed):
        if error.code is None:
            return error.message
        message, code = error.message, error.code
    elif isinstance(error, ClientError):
        message, code = _service_message(error), _handler_code(error)
    elif isinstance(error, BotoCoreError):
        message, code = str(error), "InvalidRequest"
    else:
        _log.error("a failure inside was told as a reason", exc_info=error)
        message, code = f"{type(error).__name__}: {error}", "InternalFailure"
    return (
        f'Resource handler returned message: "{message}" '
        f"(RequestToken: {uuid4()}, HandlerErrorCode: {code})"
    )


def _service_message(error: ClientError) -> str:
    answer = error.response
    metadata = answer.get("ResponseMetadata", {})
    said = answer["Error"].get("Message") or answer["Error"].get("Code")
    return (
        f"{said} (Operation: {error.operation_name}, Status Code: "
        f"{metadata.get('HTTPStatusCode')}, Request ID: {metadata.get('RequestId')})"
    )


def _handler_code(error: ClientError) -> str:
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode") or 0
    if status >= 500:
        return "ServiceInternalError"
    code = error.response["Error"].get("Code", "")
    return next(
        (handler for part, handler in _HANDLER_CODES if part in code), "GeneralServiceException"
    )


_REFERENCE = re.compile(r"\{\{resolve:([a-z-]+):([^{}]+)\}\}")

Client = Callable[[str], Any]
"""A boto3 client of the stack's region by its service's name."""


def resolve(value: Any, client: Client, *, public: bool = False) -> Any:
    """``value`` with each dynamic reference replaced by what it points to now.

    Services are ssm, ssm-secure and secretsmanager; ``public``: ssm alone, whose values are no
    secrets, and all else stays as written. Raises AwsError ``ValidationError`` for another service
    or a malformed reference, and botocore's ClientError for a parameter or secret that does not
    exist.
    """
    if isinstance(value, dict):
        return {key: resolve(item, client, public=public) for key, item in value.items()}
    if isinstance(value, list):
        return [resolve(item, client, public=public) for item in value]
    if not isinstance(value, str) or "{{resolve:" not in value:
        return value

    def replacement(found: re.Match[str]) -> str:
        secret = public and found[1] != "ssm"
        return found[0] if secret else _fetch(found[1], found[2], client)

    return _REFERENCE.sub(replacement, value)


def _fetch(service: str, reference: str, client: Client) -> str:
    if service in ("ssm", "ssm-secure"):
        answer = client("ssm").get_parameter(Name=reference, WithDecryption=service == "ssm-secure")
        value: str = answer["Parameter"]["Value"]
        return value
    if service == "secretsmanager":
        return _secret(reference, client("secretsmanager"))
    raise AwsError(
        "ValidationError",
        f"Dynamic reference {{{{resolve:{service}:{reference}}}}} names the service {service}; "
        "ssm, ssm-secure and secretsmanager are known",
    )


def _secret(reference: str, client: Any) -> str:
    """``secret-id:SecretString:json-key:version-stage:version-id``; an ARN has colons too."""
    secret_id, _, rest = reference.partition(":SecretString")
    _, key, stage, version, *_ = [*rest.split(":"), "", "", ""]
    wanted = {
        "SecretId": secret_id,
        **({"VersionStage": stage} if stage else {}),
        **({"VersionId": version} if version else {}),
    }
    text: str = client.get_secret_value(**wanted)["SecretString"]
    return str(json.loads(text)[key]) if key else text
