"""Definitions that the language does not allow, beside the nearest that it does.

The oracles are the language's specification with its linter (awslabs/statelint, data and tests),
AWS's language service for editors, and what LocalStack's suite recorded of AWS, 2024. Of 343
definitions of that suite those alone are named which AWS refused, or which have
placeholders for other text.
"""

from __future__ import annotations

from typing import Any

import pytest

from local_aws.states_language import problems, warnings
from local_aws.template import Unknown

END = {"Type": "Pass", "End": True}
LAMBDA = "arn:aws:states:::lambda:invoke"
TEXT = Unknown(pieces=("rate-", Unknown("P")))


def one(state: dict[str, Any], **machine: Any) -> dict[str, Any]:
    """A machine of one state, A."""
    return {"StartAt": "A", "States": {"A": state}, **machine}


def of(kind: str, **fields: Any) -> dict[str, Any]:
    return one({"Type": kind, **({} if "Next" in fields else {"End": True}), **fields})


def task(**fields: Any) -> dict[str, Any]:
    return of("Task", Resource=LAMBDA, **fields)


def choice(*rules: Any, **fields: Any) -> dict[str, Any]:
    states = {"A": {"Type": "Choice", "Choices": [*rules], "Default": "B", **fields}, "B": END}
    return {"StartAt": "A", "States": states}


def jsonata(**fields: Any) -> dict[str, Any]:
    return one({"Type": "Task", "Resource": LAMBDA, "End": True, **fields}, QueryLanguage="JSONata")


def retry(**fields: Any) -> dict[str, Any]:
    return task(Retry=[{"ErrorEquals": ["States.ALL"], **fields}])


def mapped(mode: str | None = None, **fields: Any) -> dict[str, Any]:
    config = {"ProcessorConfig": {"Mode": mode, "ExecutionType": "EXPRESS"}} if mode else {}
    processor = {"StartAt": "B", "States": {"B": END}, **config}
    return of("Map", **{"ItemProcessor": processor, **fields})


IS_TEXT = {"Variable": "$.a", "IsString": True}
CASES: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    # what is wrong, what is said, the nearest that is right
    (of("Pass", Nxt="B"), "The field 'Nxt' is not supported; did you mean Next?", of("Pass")),
    (of("Pass", ResultSelector={}), "states of type Task, Parallel, Map have it; remove it",
     of("Pass", ResultPath="$.a")),
    (one({"Type": "Succeed", "End": True}), "The field 'End'", one({"Type": "Succeed"})),
    (one(END, Timeout=1), "did you mean TimeoutSeconds?", one(END, TimeoutSeconds=1)),
    (one({"Type": "Pass", "Next": "A"}), "There is no terminal state; give a state End: true",
     one(END)),
    ({"StartAt": "A", "States": {"A": {"Type": "Pass", "Next": "Trian"}, "Train": END}},
     "Missing 'Next' target: Trian; did you mean Train?",
     {"StartAt": "A", "States": {"A": {"Type": "Pass", "Next": "Train"}, "Train": END}}),
    ({"StartAt": "a" * 81, "States": {"a" * 81: END}}, "at most 80 characters; this has 81",
     {"StartAt": "a" * 80, "States": {"a" * 80: END}}),
    (task(TimeoutSeconds="ten"), "it is 'ten'; write 1 to 99999999", task(TimeoutSeconds=10)),
    (task(TimeoutSeconds=0), "must be 1 to 99999999; it is 0", task(HeartbeatSeconds=1)),
    (of("Wait", Seconds="5"), "must be an integer; it is '5'", of("Wait", Seconds=0)),
    (of("Wait", Seconds=TEXT), "it is a text", of("Wait", Seconds=Unknown("P"))),
    (of("Wait", Seconds=1.5), "must be an integer", of("Wait", Seconds=5.0)),
    (of("Wait"), "One of these fields is required: [Seconds,", of("Wait", SecondsPath="$.a")),
    (of("Wait", Seconds=1, SecondsPath="$.a"),
     "Only one of these fields is allowed: [Seconds, SecondsPath]",
     of("Wait", TimestampPath="$.a")),
    (of("Wait", Timestamp="today"), "RFC3339", of("Wait", Timestamp="2026-03-14T01:59:00Z")),
    (one({**END, "End": "true"}), "must be true or false", one({**END, "End": Unknown()})),
    (of("Pass", InputPath="a.b"), "begin it with $", of("Pass", InputPath=None)),
    (of("Pass", ResultPath="a"), "begin it with $", of("Pass", ResultPath="$.a")),
    (of("Pass", Parameters={"a.$": "b"}), "it is 'b'; begin it with $, or write a without .$",
     of("Pass", Parameters={"a.$": "$.b", "b": "b"})),
    (of("Pass", Parameters={"x": [{"a.$": "States.Formatt('{}', $.a)"}]}),
     "there is no States.Formatt; did you mean States.Format?",
     of("Pass", Parameters={"x": [{"a.$": "States.Format('{}', $.a)"}]})),
    (of("Pass", Parameters={"a": 1, "a.$": "$.a"}), "[a, a.$]",
     of("Pass", Parameters={"a.$": TEXT})),
    (retry(IntervalSeconds=0), "must be 1 to 99999999", retry(IntervalSeconds=1)),
    (retry(BackoffRate=0.5), "must be 1 or more", retry(BackoffRate=1.5)),
    (retry(MaxAttempts=-1), "must be 0 to", retry(MaxAttempts=0)),
    (retry(JitterStrategy="full"), "did you mean FULL?", retry(JitterStrategy="FULL")),
    (retry(MaxAttempt=1), "did you mean MaxAttempts?", retry(MaxDelaySeconds=1)),
    (task(Retry={}), "must be an array", task(Retry=[])),
    (task(Retry=[{}]), "These fields are required: [ErrorEquals]", task(Retry=Unknown())),
    (task(Retry=[{"ErrorEquals": []}]), "name errors, or States.ALL",
     task(Retry=[{"ErrorEquals": [Unknown()]}])),
    (task(Retry=[{"ErrorEquals": ["States.ALL", "a"]}]), "must appear alone",
     task(Retry=[{"ErrorEquals": ["a"]}, {"ErrorEquals": ["States.ALL"]}])),
    (task(Retry=[{"ErrorEquals": ["States.ALL"]}, {"ErrorEquals": ["a"]}]), "must appear last",
     task(Retry=[{"ErrorEquals": ["b"]}, {"ErrorEquals": ["a"]}])),
    (task(Catch=[{"ErrorEquals": ["a"]}]), "These fields are required: [Next]",
     task(Catch=[{"ErrorEquals": ["a"], "Next": "A"}])),
    (choice(), "Value cannot be empty", choice({**IS_TEXT, "Next": "B"})),
    (choice(IS_TEXT), "'Next' is required", choice({**IS_TEXT, "Next": "A"})),
    (choice({"Next": "B"}), "exactly one operator", choice(Unknown())),
    (choice({**IS_TEXT, "IsNull": True, "Next": "B"}), "it has IsString, IsNull",
     choice({"And": [IS_TEXT, {"Not": IS_TEXT}], "Next": "B"})),
    (choice({"Variable": "$.a", "StringEqual": "x", "Next": "B"}), "did you mean StringEquals?",
     choice({"Variable": "$.a", "StringEquals": "x", "Next": "B"})),
    (choice({"Variable": "a", "StringEquals": "x", "Next": "B"}), "begin it with $",
     choice({"Variable": "$$.Execution.Name", "StringMatches": "x*", "Next": "B"})),
    (choice({"Variable": "$.a", "NumericEquals": "1", "Next": "B"}), "must be a number",
     choice({"Variable": "$.a", "NumericEqualsPath": "$.b", "Next": "B"})),
    (choice({"And": [{**IS_TEXT, "Next": "B"}], "Next": "B"}), "the outermost rule has it",
     choice({"Or": [IS_TEXT], "Next": "B"})),
    (choice({**IS_TEXT, "Next": "B"}, Next="B"), "The field 'Next' is not supp", choice(Unknown())),
    (mapped(MaxConcurrency="5"), "it is '5'; write 0 or more", mapped(MaxConcurrency=5)),
    (mapped("INLINED"), "did you mean INLINE?", mapped("INLINE")),
    (mapped(ItemProcessor=Unknown(), Iterator=Unknown()), "[Iterator, ItemProcessor]",
     mapped(ItemProcessor=Unknown())),
    (mapped("DISTRIBUTED", ItemBatcher={"MaxItemsPerBatch": 0}), "must be 1 or more",
     mapped("DISTRIBUTED", ItemBatcher={"MaxItemsPerBatchPath": "$.a"})),
    (mapped("DISTRIBUTED", ToleratedFailurePercentage=101), "must be 0 to 100",
     mapped("DISTRIBUTED", ToleratedFailurePercentage=100)),
    (jsonata(Parameters={}), "'Parameters' is not supported when QueryLanguage is JSONata",
     jsonata(Arguments={"FunctionName": "{% $f %}"})),
    (task(Arguments={}), "add QueryLanguage: JSONata", task(Parameters={})),
    (jsonata(Arguments={"a": "{% $a"}), "begins with {% and ends with %}",
     jsonata(Arguments={"a": "{% $a %}"})),
    (jsonata(TimeoutSeconds="5"), "must be an integer", jsonata(TimeoutSeconds="{% $t %}")),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "said", "right"), CASES, ids=range(len(CASES)))
def test_the_wrong_is_named_once_and_the_nearest_right_passes(
    wrong: dict[str, Any], said: str, right: dict[str, Any]
) -> None:
    (found,) = problems(wrong)
    assert said in f"{found.message}; {found.advice}"
    assert problems(right) == []


@pytest.mark.parametrize(
    ("wrong", "code", "right"),
    [
        (task(Parameters={"a": "$.b"}), "NO_DOLLAR", task(Parameters={"a.$": "$.b"})),
        (task(Parameters={"a": "States.UUID()"}), "NO_DOLLAR", task(Parameters={"a": "$5 each"})),
        (
            task(Parameters={"a": {"InputKey": "$.b"}}),
            "NO_DOLLAR",
            task(Parameters={"a": {"InputFilter": "$.b"}}),  # SageMaker reads it
        ),
        (one({"Type": "Fail", "Cause": "$.why"}), "NO_PATH",
         one({"Type": "Fail", "CausePath": "$.why"})),
        (of("Pass", Result={"a.$": "$.b"}), "PASS_RESULT_IS_STATIC", of("Pass", Result={"a": "b"})),
        (jsonata(Arguments={"a.$": "$.b"}), "NO_DOLLAR",
         jsonata(Arguments={"a": "{% $states.input.b %}"})),
        (jsonata(Arguments={"a": "$.b"}), "NO_DOLLAR", jsonata(Comment="$.b")),
    ],
)  # fmt: skip
def test_what_is_probably_not_meant_is_a_warning(
    wrong: dict[str, Any], code: str, right: dict[str, Any]
) -> None:
    assert [each.code for each in warnings(wrong)] == [code]
    assert problems(wrong) == []
    assert warnings(right) == []


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        ("$.cause . See the logs.", "States.Format('{} . See the logs.', $.cause)"),
        ("States.Format('{} {}', $.a, $.b)", "States.Format('{} {}', $.a, $.b)"),
    ],
)
def test_a_text_behind_a_path_is_said_by_a_function_that_reads_it(cause: str, said: str) -> None:
    (warning,) = warnings(one({"Type": "Fail", "Cause": cause}))
    assert warning.advice == f'write CausePath: "{said}" for what it leads to'


def test_what_a_template_leaves_open_passes() -> None:
    machines: list[Any] = [
        Unknown(),
        {"StartAt": Unknown(), "States": Unknown()},
        {"StartAt": "A", "States": {"A": Unknown(), "B": Unknown()}},
        {"StartAt": Unknown(), "States": {"A": END, "B": END}},
        one({"Type": Unknown(), "Anything": 1}),
        one({"Type": "Pass", "Next": Unknown()}),
        of("Parallel", Branches=[Unknown(), {"StartAt": "B", "States": Unknown()}]),
        mapped("DISTRIBUTED", ItemReader=Unknown(), ResultWriter={"WriterConfig": Unknown()}),
        choice({"Variable": Unknown(), "NumericEquals": Unknown(), "Next": Unknown()}),
    ]
    assert [problems({"Comment": "", **machine}) for machine in machines[1:]] == [[]] * 8
    assert [each.message for each in problems(machines[0])] == [
        "Definition must be a valid JSON object"
    ]


@pytest.mark.parametrize("odd", [None, 1, "a", [], [[]], {"a": []}, {"States": {"A": 1}}])
def test_no_shape_ends_in_a_traceback(odd: Any) -> None:
    for name in ("States", "StartAt", "QueryLanguage"):
        assert problems({**one(END), name: odd}) or name == "QueryLanguage"
    for name in ("Type", "Next", "Choices", "Branches", "ItemProcessor", "Retry", "Resource"):
        for kind in ("Task", "Choice", "Parallel", "Map"):
            document = one({"Type": kind, "End": True, name: odd})
            problems(document)
            warnings(document)
    warnings(odd)
