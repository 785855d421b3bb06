"""Rules on who hears of an endpoint: by events, and by alarms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from local_aws.suggest import nearest
from sagemaker_serving.rules.engine import Finding, note, warning
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.facts.resources import AlarmTopicFacts, EventPatternFacts


@warning(
    source="aws/aws-cdk#11121, ASFHyP3/hyp3#762; CloudWatch user guide, notify users on alarm "
    "changes",
    example="AlarmActions: [!Ref Topic], with KmsMasterKeyId: alias/aws/sns of the topic",
)
def alarm_topic_key(facts: AlarmTopicFacts) -> Iterator[Finding]:
    """An alarm's topic is encrypted by a key that CloudWatch may use, or by none.

    CloudWatch comes to KMS as a service. The key alias/aws/sns does not let it in, nor does a
    policy for the account alone. The alarm goes off, and nobody is told.
    """
    yield facts.named.finding(
        f"{facts.topic} is encrypted by a key that CloudWatch may not use, so that this alarm "
        "tells nobody; take a key of your own whose policy allows cloudwatch.amazonaws.com "
        "kms:Decrypt and kms:GenerateDataKey*"
    )


@warning(
    source="AWS SageMaker developer guide, events that SageMaker sends to EventBridge",
    example="detail: {EndpointStatus: [InService]}",
)
def event_pattern(facts: EventPatternFacts) -> Iterator[Finding]:
    """A rule of EventBridge's waits for events that SageMaker sends, in the words that they have.

    An event says IN_SERVICE of an endpoint, where DescribeEndpoint says InService; jobs' events say
    Completed, as their Describe does. A rule on another word never matches, without a message.
    """
    pattern = _read(facts.pattern)
    if not any(one.text == "aws.sagemaker" for one in pattern.get("source").items()):
        return
    for kind in pattern.get("detail-type").items():
        if kind.text is None or kind.text in _DETAIL_TYPES:
            continue
        close = nearest(kind.text, _DETAIL_TYPES)
        if close is not None:
            yield kind.finding(f"detail-type has {kind.text!r}; did you mean {close!r}")
    for status in _texts(pattern.get("detail").get("EndpointStatus")):
        written = status.text or ""
        if written in _STATUSES:
            continue
        word = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", written).upper()
        meant = word if word in _STATUSES else nearest(written, _STATUSES)
        advice = f"events of {', '.join(_STATUSES)} are sent" if meant is None else f"write {meant}"
        yield status.finding(
            f"EndpointStatus has {written!r}, which no event of an endpoint says; {advice}"
        )


@note(
    source="aws-samples/sagemaker-custom-project-templates#15; SageMaker developer guide, events "
    "that SageMaker sends to EventBridge",
    example="detail-type: [SageMaker Model Package State Change]   # and no ModelApprovalStatus",
)
def event_approval(facts: EventPatternFacts) -> Iterator[Finding]:
    """What waits for model packages says which approval it waits for.

    An event comes for each package that is registered, too, before anybody has approved it.
    """
    pattern = _read(facts.pattern)
    kinds = [one.text for one in pattern.get("detail-type").items()]
    detail = pattern.get("detail")
    told = any(name in str(detail.value) for name in ("ModelApprovalStatus", "$or"))
    known = detail.value is None or isinstance(detail.value, Mapping)
    if kinds == ["SageMaker Model Package State Change"] and known and not told:
        yield facts.pattern.finding(
            "the rule matches each model package that is registered, approved or not; if it is to "
            "deploy what is approved, add detail: {ModelApprovalStatus: [Approved]}"
        )


def _read(pattern: Fact) -> Fact:
    """A pattern that is written as JSON, read; CloudFormation itself names what is none."""
    return pattern if pattern.text is None else Fact(pattern.document, pattern.where)


def _texts(pattern: Fact) -> Iterator[Fact]:
    """The texts that a field of a pattern is compared with, as a whole."""
    for one in pattern.items():
        if one.text is not None:
            yield one
        others = one.get("anything-but")
        yield from (each for each in (others, *others.items()) if each.text is not None)


_STATUSES = (
    *("OUT_OF_SERVICE", "CREATING", "UPDATING", "SYSTEM_UPDATING", "ROLLING_BACK", "IN_SERVICE"),
    *("DELETING", "FAILED", "UPDATE_ROLLBACK_FAILED"),
)
"""botocore's EndpointStatus, as events spell it."""

_DETAIL_TYPES = (
    *(
        f"SageMaker {what} State Change"
        for what in (
            *("Algorithm", "Endpoint", "Endpoint Deployment", "Feature Group", "Image"),
            *("Image Version", "Inference Component", "Labeling Job", "Model", "Model Card"),
            *("Model Package", "Notebook Instance", "Notebook Lifecycle Config"),
            *("Processing Job", "Training Job", "Transform Job"),
            *("HyperParameter Tuning Job", "Cluster"),
        )
    ),
    "SageMaker Model Building Pipeline Execution Status Change",
    "SageMaker Model Building Pipeline Execution Step Status Change",
    *("SageMaker HyperPod Cluster Event", "SageMaker HyperPod Cluster Node Health Event"),
    "SageMaker HyperPod Cluster State Change",
)
"""Those of the guide, and what API calls are by CloudTrail; others are not said to be wrong unless
they are near one."""
