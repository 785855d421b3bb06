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
class Need:
    """An action that something does by its role, and the ARN on which, perhaps a pattern.

    In the ARN stands the mark of a resource for what is that resource's own, and an open mark for
    what is not known (`template.marks`). ``only_role`` is whether nothing but the role's own
    policies can allow it; ``at_once`` whether SageMaker looks for it while it creates what needs
    it.
    """

    action: str
    resource: str = "*"
    only_role: bool = True
    at_once: bool = False


@dataclass(frozen=True, kw_only=True)
class GivenPolicy:
    """A policy of a role; ``document`` is None for one that may allow anything.

    ``of_aws`` is whether AWS keeps it, so that it may allow more than is known here. ``late`` is
    the resource that it is where nothing makes the one who needs it wait for it, and ``follows``
    whether that waits for the one who needs it.
    """

    document: Any
    of_aws: bool = False
    late: str = ""
    follows: bool = False


@dataclass(frozen=True, kw_only=True)
class RolePermissionFacts:
    """What ``user`` needs of a role that it is given, and all policies that let the role do
    something. ``given`` is the property that names the role."""

    user: str
    role: str
    given: Fact
    needs: tuple[Need, ...]
    policies: tuple[GivenPolicy, ...]


@dataclass(frozen=True, kw_only=True)
class CallerFacts:
    """A function, ``user``, that a variable tells the name of ``endpoint``, and all policies that
    let its role do something; ``timeout`` is in seconds. ``endpoint`` is None where it is none of
    the template's; ``arn`` is the ARN by its name, perhaps a pattern. ``asynchronous`` is whether
    the endpoint is that, None where its configuration is not known."""

    user: str
    role: str
    told: Fact
    endpoint: str | None
    arn: str
    timeout: Fact
    asynchronous: bool | None
    policies: tuple[GivenPolicy, ...]


@dataclass(frozen=True, kw_only=True)
class CutOffFacts:
    """A function, ``user``, that a variable tells the name of ``endpoint``; nothing leads from
    ``subnets``, in which it is, to SageMaker."""

    user: str
    told: Fact
    endpoint: str
    subnets: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class NamedFacts:
    """A resource, ``named``, that ``user`` means by a text alone, so that it does not wait for it.

    ``reference`` is how a template, or Terraform, refers to it: ``!GetAtt Model.ModelName``.
    """

    name: Fact
    user: str
    named: str
    reference: str


@dataclass(frozen=True, kw_only=True)
class ByArnFacts:
    """A property that takes a name, and is given the ARN of ``named``; or the other way round where
    it ``takes_arn``."""

    name: Fact
    named: str
    reference: str
    takes_arn: bool = False


@dataclass(frozen=True, kw_only=True)
class OtherNameFacts:
    """A property that takes the name of a ``wanted``, and is given that of ``named``, which is of
    another ``kind``; both are words: "endpoint configuration".

    ``reference`` is how a template, or Terraform, refers to the one that is meant; empty where that
    is not known.
    """

    name: Fact
    wanted: str
    named: str
    kind: str
    reference: str
