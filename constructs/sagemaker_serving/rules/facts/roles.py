"""Roles of a template: who assumes one, and what its policies let it do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from local_aws.policies.grammar import Kind
from sagemaker_serving.rules.facts import Fact


@dataclass(frozen=True, kw_only=True)
class PolicyDocumentFacts:
    """A policy document, and whose it is."""

    document: Fact
    kind: Kind


@dataclass(frozen=True, kw_only=True)
class RoleTrustFacts:
    """A role that is given to a service, and the document that says whom the role trusts.

    ``service`` is as such a document names it: ``sagemaker.amazonaws.com``.
    """

    role: str
    service: str
    trust: Fact
    region: Fact


@dataclass(frozen=True, kw_only=True)
class RolePermissionFacts:
    """What a resource needs of a role that it is given, and the documents of what the role may do.

    ``needs`` are actions of IAM (``s3:GetObject``). ``policies`` are all that can let the role do
    something. ``given`` is the property that names the role.
    """

    role: str
    given: Fact
    needs: tuple[str, ...]
    policies: tuple[Any, ...]
