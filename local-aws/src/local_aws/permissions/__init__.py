"""Who calls, and whether their policies let them.

``sessions`` are credentials that stand for roles; ``evaluator`` says whether a role may do
something; ``authorizer`` asks it for every request at the gateway.
"""

from __future__ import annotations

from local_aws.permissions.evaluator import AccessDenied, PolicyEvaluator
from local_aws.permissions.sessions import RoleSession, RoleSessions

__all__ = ["AccessDenied", "PolicyEvaluator", "RoleSession", "RoleSessions"]
