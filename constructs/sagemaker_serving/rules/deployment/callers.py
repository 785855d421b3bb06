"""Rules on what stands around an endpoint: who may call it, and by which way."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from local_aws.policies.documents import Policy
from local_aws.policies.patterns import matches_action
from local_aws.suggest import nearest
from sagemaker_serving.rules.engine import Finding, note, rule, warning
from sagemaker_serving.rules.facts.resources import (
    IntegrationFacts,
    LogGroupFacts,
    VpcEndpointFacts,
)
from sagemaker_serving.rules.facts.roles import CallerFacts, CutOffFacts
from sagemaker_serving.rules.roles.reading import (
    ids_of,
    known_policies,
    may_be,
    name_shown,
    resources_of,
)


@warning(
    source="aws-samples/eks-workshop#895, philschmid/cdk-samples#2, "
    "aws-quickstart/quickstart-datalake-pariveda#15",
    example="ENDPOINT_NAME: !GetAtt Digits.EndpointName   # and the role may call !Ref Words",
)
def caller_permission(caller: CallerFacts) -> Iterator[Finding]:
    """A function that is told an endpoint's name may do something with it.

    "… is not authorized to perform: sagemaker:InvokeEndpoint on resource". A role counts whose
    policies are all known here: those of the template, and AWS's for functions. An endpoint that is
    not of the template is compared with those that the policies name.
    """
    known = known_policies(caller.policies)
    if known is None:
        return
    on = [resource for policy in known for resource in resources_of(policy, "sagemaker")]
    if any(_may_be_of(each, caller) for each in on):
        return
    named = caller.endpoint or caller.told.text
    if caller.endpoint is not None or any("endpoint/" in each or ids_of(each) for each in on):
        only = f" on it, only on {', '.join(map(name_shown, dict.fromkeys(on)))}" if on else ""
        yield caller.told.says(
            f"tells {caller.user} the endpoint {named}, and no policy of its role {caller.role} "
            f"allows an action of SageMaker's{only}; add a statement that allows "
            "sagemaker:InvokeEndpoint on the endpoint's ARN"
        )


def _may_be_of(resource: str, caller: CallerFacts) -> bool:
    """Whether a policy's resource may be the endpoint: by reference, or by its name."""
    ids = ids_of(resource)
    return caller.endpoint in ids if ids else may_be(resource, caller.arn)


@warning(
    source="strands-agents/harness-sdk#1969; botocore InvokeEndpointAsync; service authorization "
    "reference, Amazon SageMaker",
    example="Action: sagemaker:InvokeEndpoint   # on an endpoint with AsyncInferenceConfig",
)
def caller_asynchronous(caller: CallerFacts) -> Iterator[Finding]:
    """A function may call an endpoint in the way that the endpoint is called.

    An asynchronous endpoint takes InvokeEndpointAsync alone, and only that one takes it. Each is an
    action of its own to IAM, and neither allows the other.
    """
    known = known_policies(caller.policies)
    if known is None or caller.asynchronous is None:
        return
    at_once = [each for each in _AT_ONCE if _may_allow(known, each)]
    later = _may_allow(known, _LATER)
    wrong = at_once[:1] if caller.asynchronous and not later else []
    if not caller.asynchronous and later and not at_once:
        wrong = [_LATER]
    if wrong:
        kind, right = ("an", _LATER) if caller.asynchronous else ("no", _AT_ONCE[0])
        yield caller.told.says(
            f"tells {caller.user} the endpoint {caller.endpoint}, which is {kind} asynchronous "
            f"one, and its role {caller.role} may {wrong[0]} and not {right}; allow "
            f"sagemaker:{right}, and call that"
        )


_AT_ONCE = ("InvokeEndpoint", "InvokeEndpointWithResponseStream")
_LATER = "InvokeEndpointAsync"


def _may_allow(policies: Sequence[Policy], action: str) -> bool:
    return any(
        any(matches_action(name, f"sagemaker:{action}") for name in one.actions) != one.not_actions
        for policy in policies
        for one in policy.statements
        if one.effect == "Allow"
    )


@note(
    source="bentoml/aws-sagemaker-deploy#18; Lambda developer guide, configure function timeout",
    example="a function with ENDPOINT_NAME, and no Timeout",
)
def caller_timeout(caller: CallerFacts) -> Iterator[Finding]:
    """A function that calls an endpoint has time for its answer.

    Lambda ends one without a Timeout after 3 seconds; an endpoint may take 60 to answer.
    """
    if not caller.timeout.given and caller.endpoint is not None:
        yield caller.told.says(
            f"tells {caller.user} the endpoint {caller.endpoint}, and without a Timeout it ends "
            "after 3 seconds; an endpoint may take 60 to answer; set its Timeout"
        )


@warning(
    source="aws/aws-cli#3940; SageMaker developer guide, connect to SageMaker within your VPC; "
    "Lambda developer guide, internet access for VPC-connected functions",
    example="a function with ENDPOINT_NAME in subnets without a NAT gateway",
)
def caller_network(caller: CutOffFacts) -> Iterator[Finding]:
    """A function in a VPC has a way to SageMaker Runtime.

    It has no public address, so an internet gateway is none. Its call ends with "Connect timeout on
    endpoint URL", or with the function's own time.
    """
    yield caller.told.says(
        f"tells {caller.user} the endpoint {caller.endpoint}, and nothing leads from "
        f"{' and '.join(caller.subnets)} to SageMaker; add a VPC endpoint of sagemaker.runtime, or "
        "a route to a NAT gateway"
    )


@rule(
    source="aws/aws-cdk#2597, hashicorp/terraform-provider-aws#11806; AWS SageMaker developer "
    "guide, connect to SageMaker within your VPC",
    example="ServiceName: com.amazonaws.us-east-1.sagemaker-runtime",
)
def vpc_endpoint(facts: VpcEndpointFacts) -> Iterator[Finding]:
    """A VPC's endpoint for SageMaker has the service's name, and is of type Interface.

    Requests are sent by ``sagemaker.runtime``, all else by ``sagemaker.api``. Left out, the type is
    Gateway, which S3 and DynamoDB alone have. EC2 refuses both: "Vpc Endpoint Service … does not
    exist".
    """
    found = _SERVICE.fullmatch(facts.service.shown)
    if found is None:
        return
    written = found[1] or found[2]
    nested = found[1] is None and facts.service.shown.startswith("com.")
    if nested or (written not in _SERVICES and set(re.split("[.-]", written)) <= _WORDS):
        meant = "sagemaker.runtime" if "runtime" in written else "sagemaker.api"
        if nested:
            meant = facts.service.shown[facts.service.shown.index("aws.sagemaker.") :]
        yield facts.service.says(
            f"is {facts.service.shown!r}; SageMaker's are com.amazonaws.<region>. and "
            f"{', '.join(_SERVICES)}, or aws.sagemaker.<region>. and notebook or studio; use "
            f"{meant}"
        )
    kind = facts.kind
    if not kind.given or (kind.text is not None and kind.text != "Interface"):
        said = f"is {kind.text!r}" if kind.given else "is left out, so that it is Gateway"
        yield kind.says(f"{said}; SageMaker has Interface; write that")


_SERVICE = re.compile(
    r"(?:com\.amazonaws\.[^.]+\.((?:(?:runtime|api)[.-])?sagemaker[a-z.-]*)|"
    r"(?:com\.amazonaws\.[^.]+\.)?aws\.sagemaker\.[^.]+\.([a-z.-]+))"
)
_SERVICES = (
    *("sagemaker.api", "sagemaker.api-fips", "sagemaker.runtime", "sagemaker.runtime-fips"),
    *("sagemaker.featurestore-runtime", "sagemaker.metrics"),
)
_WORDS = {"sagemaker", "api", "runtime", "fips", "metrics"}
"""What a name of other words stands for is not known here: AWS has more of them."""


@rule(
    source="serverless/examples#687; API Gateway API, Integration.uri; botocore sagemaker-runtime",
    example="Uri: arn:aws:apigateway:us-east-1:sagemaker-runtime:path/endpoints/iris/invocations",
)
def api_integration(facts: IntegrationFacts) -> Iterator[Finding]:
    """An API hands requests to an endpoint by POST, to ``runtime.sagemaker``, on one of its paths.

    API Gateway signs by a role: "Role ARN must be specified for AWS integrations". Another method
    is answered with UnknownOperationException, another service is none that it can sign for.
    """
    uri = facts.uri
    found = re.search(r":([^:/]*sagemaker[^:/]*):path/(.*)", uri.shown)
    path = re.fullmatch("/*(endpoints?)/([^/]+)/([^/…]+)", "" if found is None else found[2])
    if found is None or path is None:
        return
    if found[1] != "runtime.sagemaker":
        yield uri.says(
            f"has the service {found[1]!r}; endpoints answer at runtime.sagemaker; use "
            "arn:aws:apigateway:<region>:runtime.sagemaker:path/endpoints/<name>/invocations"
        )
    elif path[1] != "endpoints" or path[3] not in _PATHS:
        yield uri.says(
            f"ends with {path[1]}/{path[2]}/{path[3]}; an endpoint answers at endpoints/<name>/ "
            f"and {', '.join(_PATHS)}; use one of these"
        )
    if not facts.role.given:
        yield facts.role.says(
            "is missing; give a role that apigateway.amazonaws.com assumes, and that allows "
            "sagemaker:InvokeEndpoint"
        )
    if facts.method.text not in (None, "POST"):
        yield facts.method.says(f"is {facts.method.text!r}; an endpoint takes POST alone; use it")


_PATHS = ("invocations", "async-invocations", "invocations-response-stream")
"""Where an endpoint is called (botocore sagemaker-runtime, requestUri)."""


@warning(
    source="AWS SageMaker developer guide, log groups and streams",
    example="LogGroupName: /aws/sagemaker/endpoints/iris",
)
def log_group_name(facts: LogGroupFacts) -> Iterator[Finding]:
    """A log group of SageMaker's is named as SageMaker names it, capitals included.

    Another one stays empty: its retention, filters and alarms have no effect on the real one.
    """
    written = re.match(r"/aws/sagemaker/([A-Za-z]+)(/|$)", facts.name.shown, re.IGNORECASE)
    if written is None or any(facts.name.shown.startswith(known) for known in _LOG_GROUPS):
        return
    groups = {known.rpartition("/")[2]: known for known in _LOG_GROUPS}
    meant = nearest(written[1].casefold(), [one.casefold() for one in groups])
    close = next((groups[one] for one in groups if one.casefold() == meant), None)
    if close is not None:
        yield facts.name.says(f"is {facts.name.shown!r}; SageMaker writes to {close}; write that")


_LOG_GROUPS = tuple(
    f"/aws/sagemaker/{kind}"
    for kind in (
        *("Endpoints", "InferenceComponents", "TransformJobs", "CompilationJobs"),
        *("ProcessingJobs", "TrainingJobs", "LabelingJobs", "NotebookInstances", "Clusters"),
        *("InferenceRecommendationsJobs", "studio", "WorkteamSNS"),
    )
)
