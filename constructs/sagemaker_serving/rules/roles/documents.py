"""Rules on the form of policy documents, whoever has them."""

from __future__ import annotations

from collections.abc import Iterator

from local_aws.policies.grammar import policy_problems
from sagemaker_serving.errors import Severity, Where
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


@rule(
    "policy-endpoint-letters",
    source="philschmid/cdk-samples#2; prometheus-community/yet-another-cloudwatch-exporter#1178",
    severity=Severity.WARNING,
    example="Action: sagemaker:InvokeEndpoint, Resource: arn:…:endpoint/LaBSE",
)
def policy_endpoint_letters(facts: PolicyDocumentFacts) -> Iterator[Finding]:
    """A policy names an endpoint in small letters, as its ARN has the name.

    IAM tells capitals from small letters, so a policy for ``endpoint/LaBSE`` allows nothing:
    "is not authorized to perform: sagemaker:InvokeEndpoint on resource … endpoint/labse".
    """
    statements = facts.document.get("Statement")
    for statement in statements.items() if isinstance(statements.value, list) else [statements]:
        resource = statement.get("Resource")
        for arn in resource.items() if isinstance(resource.value, list) else [resource]:
            named = arn.shown.rpartition(":endpoint/")
            if named[1] and ":sagemaker:" in arn.shown and named[2] != named[2].lower():
                yield (
                    arn.where,
                    f"{arn.name} names {named[2]!r}; an endpoint's ARN has its name in "
                    f"small letters, whatever it is called; write {named[2].lower()!r}",
                )


def _place(document: Fact, path: tuple[str | int, ...]) -> Where:
    here = document
    for key in path:
        entry = list(here.items())[key : key + 1] if isinstance(key, int) else []
        here = entry[0] if entry else here.get(str(key))
    return here.where
