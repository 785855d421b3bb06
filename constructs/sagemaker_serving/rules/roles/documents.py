"""Rules on the form of policy documents, whoever has them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from local_aws.policies.grammar import policy_problems
from local_aws.suggest import nearest
from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.facts.roles import PolicyDocumentFacts


@rule(
    source="IAM user guide, grammar of the JSON policy language",
    example="Statement: [{effect: Allow, Action: GetObject}]",
)
def policy_document(facts: PolicyDocumentFacts) -> Iterator[Finding]:
    """A policy document is of the form that IAM's grammar gives it.

    IAM, or the service whose resource has it, refuses others as malformed, and the deploy fails.
    What only a deploy knows passes unjudged.
    """
    for path, said in policy_problems(facts.document.value, facts.kind):
        yield facts.document.inside(path).finding(said)


@warning(
    source="philschmid/cdk-samples#2; prometheus-community/yet-another-cloudwatch-exporter#1178",
    example="Action: sagemaker:InvokeEndpoint, Resource: arn:…:endpoint/LaBSE",
)
def policy_endpoint_letters(facts: PolicyDocumentFacts) -> Iterator[Finding]:
    """A policy names an endpoint in small letters, as its ARN has the name.

    IAM tells capitals from small letters, so a policy for ``endpoint/LaBSE`` allows nothing:
    "is not authorized to perform: sagemaker:InvokeEndpoint on resource … endpoint/labse".
    """
    for statement in facts.document.get("Statement").each():
        for arn in statement.get("Resource").each():
            named = arn.shown.rpartition(":endpoint/")
            if named[1] and ":sagemaker:" in arn.shown and named[2] != named[2].lower():
                yield arn.says(
                    f"names {named[2]!r}; an endpoint's ARN has its name in small letters, "
                    f"whatever it is called; write {named[2].lower()!r}"
                )


@warning(
    source="service authorization reference, Amazon SageMaker; botocore, each client's signingName",
    example="Action: sagemaker-runtime:InvokeEndpoint",
)
def policy_action(facts: PolicyDocumentFacts) -> Iterator[Finding]:
    """A policy names SageMaker's actions as IAM does: ``sagemaker:`` and an action that there is.

    Clients have other names, as sagemaker-runtime. IAM takes any, and it allows nothing: "is not
    authorized to perform: sagemaker:InvokeEndpoint".
    """
    for statement in facts.document.get("Statement").each():
        for action in statement.get("Action").each():
            service, _, name = action.shown.partition(":")
            call = re.fullmatch("(?i)invoke[a-z]+", name)
            called = nearest(name, _CALLS) if call else None
            meant = f"sagemaker:{name}"
            if service.lower() == "sagemaker" and called and name.lower() not in _KNOWN_CALLS:
                meant = f"sagemaker:{called}"
            elif service.lower() not in _CLIENTS:
                continue
            yield action.says(
                f"is {action.shown!r}, which is no action of IAM's, so that it allows nothing; "
                f"write {meant}"
            )


_CLIENTS = {
    *("sagemaker-runtime", "sagemaker-a2i-runtime", "sagemaker-featurestore-runtime"),
    *("sagemaker-inference-router-runtime", "sagemaker-metrics", "sagemaker-edge"),
}
_CALLS = (
    *("InvokeEndpoint", "InvokeEndpointAsync", "InvokeEndpointWithResponseStream"),
    "InvokeEndpointWithBidirectionalStream",
)
_KNOWN_CALLS = {
    *map(str.lower, _CALLS),
    *("invokeinferencerouter", "invokeinferencerouterasync"),
}


@rule(
    source="SageMaker developer guide, Invoke endpoints with OpenAI-compatible APIs",
    example="Action: sagemaker:CallWithBearerToken, Resource: arn:…:endpoint/chat",
)
def policy_bearer_token(facts: PolicyDocumentFacts) -> Iterator[Finding]:
    """A policy allows CallWithBearerToken on ``*``, the only resource that the action has.

    On an endpoint's ARN it allows nothing, and each request with a token is refused. What a token
    may call is bounded by the statement for InvokeEndpoint.
    """
    for statement in facts.document.get("Statement").each():
        named = [each.shown.lower() for each in statement.get("Action").each()]
        resources = list(statement.get("Resource").each())
        if (
            "sagemaker:callwithbearertoken" in named
            and statement.get("Effect").shown == "Allow"
            and resources
            and all(each.shown.startswith("arn:") for each in resources)
        ):
            yield resources[0].says(
                f"is {resources[0].shown!r}; sagemaker:CallWithBearerToken has no resource but "
                "'*'; give it a statement of its own with Resource '*', and keep "
                "sagemaker:InvokeEndpoint on the endpoint"
            )
