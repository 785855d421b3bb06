"""Contacts of AWS Systems Manager Incident Manager, for the local AWS: who is called, and was.

Sources: the Incident Manager API reference, "AWS Systems Manager Incident Manager Contacts"; ARNs
as in botocore's examples of the service.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from uuid import uuid4

from local_aws.arn import arn_in
from local_aws.context import LocalContext
from local_aws.permissions.service import ServicePermissions
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.resources.api import ApiProvider
from local_aws.resources.base import Attributes, Request
from local_aws.service import Action, Service, offered


def services(context: LocalContext, changed: Callable[[str], None]) -> Iterable[Service]:
    """What the entry point names."""
    return [Contacts(context)]


class Contacts(Service):
    """``ssm-contacts``, as boto3 calls it: contacts, and the engagements that were started."""

    name = "ssm-contacts"
    whole = True
    permissions = ServicePermissions(
        prefix="ssm-contacts", resources={"ContactId": "contact/{}", "Alias": "contact/{}"}
    )

    def __init__(self, context: LocalContext) -> None:
        self._context = context
        self._contacts: dict[str, dict[str, Any]] = {}
        self._engagements: list[dict[str, Any]] = []

    def actions(self) -> Mapping[str, Action]:
        """The methods below that are named as operations are."""
        return offered(self.name, self)

    def create_contact(self, call: Call) -> Mapping[str, Any]:
        """Keep a contact; its ARN ends in its alias."""
        arn = self._arn(call, f"contact/{call.parameters['Alias']}")
        names = ("Alias", "DisplayName", "Type", "Plan")
        given = {name: call.parameters[name] for name in names if name in call.parameters}
        self._contacts[arn] = {"ContactArn": arn, **given}
        return {"ContactArn": arn}

    def get_contact(self, call: Call) -> Mapping[str, Any]:
        """All of it."""
        return self._contact(call)

    def update_contact(self, call: Call) -> Mapping[str, Any]:
        """Change what is given: the name, the plan."""
        given = {key: value for key, value in call.parameters.items() if key != "ContactId"}
        self._contact(call).update(given)
        return {}

    def delete_contact(self, call: Call) -> Mapping[str, Any]:
        """Forget it."""
        del self._contacts[self._contact(call)["ContactArn"]]
        return {}

    def start_engagement(self, call: Call) -> Mapping[str, Any]:
        """Call the contact: nobody's telephone rings, but it is told by ListEngagements."""
        contact = self._contact(call)
        engagement = {
            "EngagementArn": self._arn(call, f"engagement/{contact['Alias']}/{uuid4()}"),
            "ContactArn": contact["ContactArn"],
            "Sender": call.parameters["Sender"],
            "StartTime": time.time(),
        }
        self._engagements.append(engagement)
        return {"EngagementArn": engagement["EngagementArn"]}

    def list_engagements(self, call: Call) -> Mapping[str, Any]:
        """All that were started."""
        return {"Engagements": self._engagements}

    def resource_types(self) -> Iterable[Contact]:
        """What templates may say."""
        return [Contact()]

    def export_state(self) -> object:
        """What is found again when the local AWS starts again, as JSON has it."""
        return [self._contacts, self._engagements]

    def restore_state(self, state: Any, /) -> None:
        """Hold it again."""
        self._contacts, self._engagements = state

    def _arn(self, call: Call, resource: str) -> str:
        return arn_in(call.region, self.name, self._context.account_id, resource)

    def _contact(self, call: Call) -> dict[str, Any]:
        arn = call.parameters["ContactId"]
        if arn not in self._contacts:
            raise AwsError("ResourceNotFoundException", f"contact {arn} does not exist")
        return self._contacts[arn]


class Contact(ApiProvider):
    """``AWS::SSMContacts::Contact``: Ref is the ARN."""

    type_name = "AWS::SSMContacts::Contact"
    service = "ssm-contacts"
    create_operation = "CreateContact"
    deletes = ("DeleteContact", "ContactId")
    id_attribute = "Arn"
    reading = "GetContact ContactId"

    def create(self, request: Request) -> str:
        """Make it by the API, as a user of boto3 would."""
        answer = self.call(request, "CreateContact", request.properties, Plan=self._plan(request))
        return str(answer["ContactArn"])

    def update(self, request: Request) -> Attributes:
        """Change in place what may be; for another alias CloudFormation makes a new one."""
        arn, plan = request.physical_id, self._plan(request)
        self.call(request, "UpdateContact", request.properties, ContactId=arn, Plan=plan)
        return dict(request.attributes)

    @staticmethod
    def _plan(request: Request) -> dict[str, Any]:
        """A template has its stages alone."""
        return {"Stages": request.properties.get("Plan", [])}
