"""Roles of a template: who assumes one, and what its policies let it do."""

from __future__ import annotations

from dataclasses import dataclass

from sagemaker_serving.rules.facts import Fact


@dataclass(frozen=True, kw_only=True)
class RoleTrustFacts:
    """A role that is given to a service, and the document that says whom the role trusts.

    ``service`` is as such a document names it: ``sagemaker.amazonaws.com``.
    """

    role: str
    service: str
    trust: Fact
    region: Fact
