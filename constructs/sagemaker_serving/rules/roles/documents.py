"""Rules on the form of policy documents, whoever has them."""

from __future__ import annotations

from collections.abc import Iterator

from local_aws.policies.grammar import policy_problems
from sagemaker_serving.errors import Where
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.facts.roles import PolicyDocumentFacts


@rule(
    "policy-document",
    source="IAM user guide, grammar of the JSON policy language",
    example="Statement: [{effect: Allow, Action: GetObject}]",
)
def policy_document(facts: PolicyDocumentFacts) -> Iterator[Finding]:
    """A policy document is of the form that IAM's grammar gives it.

    IAM, or the service whose resource has it, refuses others as malformed, and the deploy fails.
    What only a deploy knows passes unjudged.
    """
    for path, said in policy_problems(facts.document.value, facts.kind):
        yield _place(facts.document, path), said


def _place(document: Fact, path: tuple[str | int, ...]) -> Where:
    here = document
    for key in path:
        entry = list(here.items())[key : key + 1] if isinstance(key, int) else []
        here = entry[0] if entry else here.get(str(key))
    return here.where
