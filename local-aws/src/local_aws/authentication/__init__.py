"""Who calls: every request's signature is verified before anything is done for it.

`Authenticator` takes a WSGI request and returns its `Caller`, or raises AWS's refusal. It knows
no service and nothing of the gateway: who holds an access key it is told by `Holders`. Browsers
are turned away before that, by `reject_foreign_origin`; what AWS lets through without a
signature is the list in `unsigned`.
"""

from __future__ import annotations

from local_aws.authentication.authenticator import Authenticator
from local_aws.authentication.browsers import reject_foreign_origin
from local_aws.authentication.callers import Caller, Holder, Holders, Scope
from local_aws.authentication.claims import INSIDE, vouched
from local_aws.authentication.local_token import PAGES, require_token
from local_aws.authentication.unsigned import has_unguessable_path

__all__ = [
    "INSIDE",
    "PAGES",
    "Authenticator",
    "Caller",
    "Holder",
    "Holders",
    "Scope",
    "has_unguessable_path",
    "reject_foreign_origin",
    "require_token",
    "vouched",
]
