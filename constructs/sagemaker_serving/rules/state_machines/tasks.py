"""Rules on the tasks of state machines: what they call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from local_aws.suggest import did_you_mean, nearest
from sagemaker_serving.catalog.actions import sdk_actions, sdk_services
from sagemaker_serving.catalog.integrations import integrations
from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.facts.state_machines import InvocationFacts, TaskFacts
from sagemaker_serving.rules.template.state_machines import sagemaker_action

_GUIDE = "AWS Step Functions developer guide, integrating services; botocore"
_RESOURCE = re.compile(
    r"arn:[^:]*:states:[^:]*:[^:]*:(?P<integration>[A-Za-z0-9-]+):(?P<rest>[A-Za-z0-9:-]+)"
    r"(?:\.(?P<pattern>[A-Za-z:0-9]+))?"
)
_ALIKE = 0.8
"""How alike names of services are where one is misspelt: services end, and new ones come."""
_PATTERNS = ("sync", "sync:2", "waitForTaskToken")


@rule(source=_GUIDE, example="Resource: arn:aws:states:::sagemaker:createTransfromJob.sync")
def state_machine_resource(task: TaskFacts) -> Iterator[Finding]:
    """A task's Resource is an ARN, and names an action that there is.

    Step Functions refuses the definition. Services and integrations that are not known here pass,
    unless they are spelt nearly as one that is.
    """
    wrong = _wrong(task.text)
    if wrong is not None:
        shown = task.text if task.resource.text is not None else "Resource"
        yield task.resource.finding(f"{shown}: {wrong}")


@warning(
    source="botocore CreateTransformJob.TransformJobName; apache/airflow#21941; "
    "aws/amazon-sagemaker-examples pull request 3108; astronomer/astronomer-providers#1055; "
    "aws/sagemaker-python-sdk#101",
    example="TransformJobName: nightly   # in a state machine",
)
def job_name_fixed(task: TaskFacts) -> Iterator[Finding]:
    """What a state machine makes has another name in each execution.

    A job's name stays taken in its account and region, also once the job has ended. The second
    execution is refused: "job names must be unique within an AWS account and region". So is a
    second model, endpoint or configuration: "Cannot create already existing model". A machine that
    catches that, or looks for it, updates or deletes it, passes.
    """
    action = sagemaker_action(task) or ""
    what = action.removeprefix("Create")
    others = re.compile(f"(Describe|Update|Delete|List){what}s?")
    name = task.arguments.get(f"{what}Name")
    if action == what or name.text is None:
        return
    if what.endswith("Job"):
        is_there = "a job's name is there once"
    elif what in _KEPT and not task.caught and not any(map(others.fullmatch, task.beside)):
        is_there = f"{_KEPT[what]} of that name is there after the first"
    else:
        return
    yield name.says(
        f"is {name.text!r} in each execution, and {is_there}; take the execution's: {name.name}.$: "
        "$$.Execution.Name, or in JSONata {% $states.context.Execution.Name %}"
    )


@warning(
    source="botocore CreateTransformJob.TransformJobName; Step Functions developer guide, Context "
    "object",
    example="TransformJobName.$: States.Format('nightly-{}', $$.Execution.StartTime)",
)
def job_name_letters(task: TaskFacts) -> Iterator[Finding]:
    """What a state machine makes is not named by a time or an ARN, which have colons, nor with
    underscores.

    Names are letters, digits and hyphens: "failed to satisfy constraint: Member must satisfy
    regular expression pattern". JSONPath has no function that takes a colon out.
    """
    what = (sagemaker_action(task) or "").removeprefix("Create")
    names = [task.written.get(each) for each in (f"{what}Name.$", f"{what}Name")]
    name = next((each for each in names if each.text is not None), None)
    path = "" if name is None or name.text is None else name.text
    found = _WITH_COLONS.search(path)
    if name is not None and found and not _TAKEN_APART.search(path):
        yield name.finding(
            f"{what}Name takes {found[0]}, which has colons, and a name has letters, digits and "
            "hyphens; take $$.Execution.Name, of up to 63 characters"
        )
    elif name is not None and (wrong := _NO_LETTER.search(_literal(path))):
        yield name.finding(
            f"{what}Name is given {wrong[0]!r} by {path}, and a name has letters, digits and "
            "hyphens; write a hyphen"
        )


def _literal(path: str) -> str:
    """What an expression puts into a name as it is: the text of States.Format, or the texts that
    JSONata joins; nothing where a function may change them."""
    if (formatted := _FORMATTED.match(path)) is not None:
        return formatted[1].replace("{}", "")
    return "".join(map("".join, _TEXTS.findall(path))) if _JOINED.fullmatch(path) else ""


_WITH_COLONS = re.compile(
    r"[$](?:[$]|states[.]context)[.](Execution[.](StartTime|RedriveTime|Id)|State[.]EnteredTime|"
    r"StateMachine[.]Id)"
)
_FORMATTED = re.compile(r"States[.]Format[(]'([^'\\]*)'")
_TEXTS = re.compile(r"""'([^'\\]*)'|"([^"\\]*)\"""")
_TERM = rf"(?:{_TEXTS.pattern}|[$A-Za-z0-9_.]+)"
_JOINED = re.compile(rf"{{%\s*{_TERM}(?:\s*&\s*{_TERM})*\s*%}}")
_NO_LETTER = re.compile("[^A-Za-z0-9-]")
_TAKEN_APART = re.compile(r"States[.](?!Format)|[$][a-z]+[(]")
"""Functions that may make something else of it."""


_KEPT = {
    "Model": "a model",
    "EndpointConfig": "an endpoint configuration",
    "Endpoint": "an endpoint",
}
"""What stays there that a machine makes, besides jobs."""


@warning(
    source="botocore InvokeEndpointAsync; aws/amazon-sagemaker-examples#4879",
    example="Resource: …:aws-sdk:sagemakerruntime:invokeEndpoint   # of an asynchronous endpoint",
)
def invocation_kind(call: InvocationFacts) -> Iterator[Finding]:
    """An asynchronous endpoint is asked by InvokeEndpointAsync, and any other by InvokeEndpoint.

    Each refuses the other's requests, in every execution.
    """
    wanted = "InvokeEndpointAsync" if call.asynchronous else "InvokeEndpoint"
    if call.asynchronous is not None and call.action != wanted:
        kind = "an" if call.asynchronous else "no"
        yield call.arguments.finding(
            f"{call.endpoint} is {kind} asynchronous endpoint, and {call.action} is for the other "
            f"kind; call {wanted}"
        )


@rule(
    source="botocore InvokeEndpointAsync.Body",
    example="invokeEndpointAsync with neither InputLocation nor Body",
)
def invocation_input(call: InvocationFacts) -> Iterator[Finding]:
    """An asynchronous request has its input in S3 or with it: one of InputLocation and Body.

    SageMaker refuses a request with none of them, or with both.
    """
    given = [name for name in ("InputLocation", "Body") if call.arguments.get(name).given]
    known = isinstance(call.arguments.value, Mapping)
    if known and call.action == "InvokeEndpointAsync" and len(given) != 1:
        said = "neither InputLocation nor Body" if not given else "both InputLocation and Body"
        yield call.arguments.finding(f"{call.action} has {said}; give one of them")


def _wrong(text: str) -> str | None:
    """What is wrong with a Resource; texts may have marks for what is unknown."""
    if not text.startswith("arn:"):
        is_whole = text[:1].isascii() and not text.startswith("${")
        return "it is no ARN; begin it with arn:aws:states:::" if is_whole else None
    found = _RESOURCE.fullmatch(text)
    if found is None or found["integration"] in ("activity", "stateMachine"):
        return None
    service, colon, action = found["rest"].rpartition(":")
    if found["integration"] == "aws-sdk":
        wrong = _sdk(service, action)
    else:
        wrong = None if colon else _optimized(found["integration"], found["rest"])
    return wrong or _waiting(found["integration"], found["rest"], found["pattern"])


def _optimized(name: str, action: str) -> str | None:
    known = integrations().get(name)
    if known is None:
        near = nearest(name, integrations())
        if name in sdk_services():
            return f"there is no integration {name}; write aws-sdk:{name}:{action}"
        return None if near is None else f"there is no integration {name}; did you mean {near}?"
    if action in known.actions:
        return None
    near = nearest(action, known.actions)
    if near is not None and near.lower() == action.lower():
        return f"its action is spelt {near}"
    if f"{action[:1].upper()}{action[1:]}" in sdk_actions(name):
        return f"the integration {name} has no {action}; write aws-sdk:{name}:{action}"
    meant = f"did you mean {near}?" if near else f"it has {', '.join(known.actions)}"
    return f"the integration {name} has no {action}; {meant}"


def _sdk(service: str, action: str) -> str | None:
    if service not in sdk_services():
        meant = get_close_matches(service, sdk_services(), n=1, cutoff=_ALIKE)
        return f"aws-sdk has no service {service}; did you mean {meant[0]}?" if meant else None
    actions = sdk_actions(service)
    if not actions or f"{action[:1].upper()}{action[1:]}" in actions:
        return None
    hint = (
        did_you_mean(action, [f"{each[:1].lower()}{each[1:]}" for each in actions], "?")
        or "see the service's API reference"
    )
    return f"{service} has no action {action}; {hint}"


def _waiting(integration: str, action: str, pattern: str | None) -> str | None:
    if pattern is None:
        return None
    if pattern not in _PATTERNS:
        near = nearest(pattern, _PATTERNS)
        return f"there is no pattern .{pattern}; use .{near or ' or .'.join(_PATTERNS)}"
    waits = pattern.startswith("sync")
    if integration == "aws-sdk":
        return "aws-sdk waits for no job; leave .sync out, and ask in a loop" if waits else None
    known = integrations().get(integration)
    if known is None or action not in known.actions:
        return None
    if waits and action not in known.waits:
        return f"{action} is no job to wait for; leave .{pattern} out"
    if pattern == "sync:2" and integration != "states":
        return "only states:startExecution has .sync:2; use .sync"
    if not waits and not known.takes_token:
        return f"{integration} takes no task token; leave .{pattern} out"
    return None
