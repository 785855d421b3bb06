"""What calls of API Gateway's own APIs need: their HTTP method, on their path.

Source: service authorization reference, "Actions, resources, and condition keys for Amazon API
Gateway Management".
"""

from __future__ import annotations

from local_aws.arn import arn_in
from local_aws.permissions.need import Need
from local_aws.permissions.service import Refusal, ServicePermissions
from local_aws.protocol.call import Call
from local_aws.web.functions import APIGATEWAY
from local_aws.web.records import path_of

DENIED = Refusal(code="AccessDeniedException", status=403)

_ROLES = ("credentials", "authorizerCredentials", "CredentialsArn", "AuthorizerCredentialsArn")


class PathPermissions(ServicePermissions):
    """apigateway:GET on arn:aws:apigateway:eu-west-1::/restapis/abc."""

    def needs(self, call: Call) -> list[Need]:
        """The call itself, and that a role may be handed over, which is judged when it is used."""
        if call.model is None:
            return [Need("apigateway:GET", "*", {}, quoted=False)]
        path = path_of(call).removeprefix(call.region).removeprefix("/v2")
        arn = arn_in(call.region, "apigateway", "", path)
        needs = [Need(f"apigateway:{call.model.http['method']}", arn, {}, quoted=False)]
        for name in _ROLES:
            role = call.parameters.get(name)
            if role:
                to = {"iam:passedtoservice": APIGATEWAY}
                needs.append(Need("iam:PassRole", str(role), to, quoted=False))
        return needs
