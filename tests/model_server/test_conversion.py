from __future__ import annotations

import json

import pytest

from sagemaker_serving.model_server.conversion import CONVERSION_TODAY, UnsupportedMediaType

to_tfs_json = CONVERSION_TODAY.to_tfs_json
accepted = CONVERSION_TODAY.accepted

ONE_INSTANCE = [
    ("5.0", "[5.0]"),
    ("[1,2,5]", "[[1,2,5]]"),
    ('{"x": 1}', '[{"x": 1}]'),
    ('"text"', '["text"]'),
    ("", "[]"),
    (" [1.0] ", "[ [1.0] ]"),
    ('[{"x":1},{"x":2}]', '[[{"x":1},{"x":2}]]'),
]
AS_IT_IS = [
    '{"instances": [1.0]}',
    '{"inputs" : [1.0]}',
    '{"signature_name":"regress_x_to_y","examples":\n[{"x":1.0}]}',
    '{"instances": [1.0]}{"instances": [2.0]}',
    'not json at all but "instances": 1',
    '{"comment":"\\u00e9 é","instances":[1]}',
]
SEVERAL = [
    ("[1]\n[2]", "[[1],[2]]"),
    ('{"x":1}\r\n\n{"x":2}\n', '[{"x":1},{"x":2}]'),
    ("  [1]  \n  [2]  ", "[[1],[2]]"),
    ('{"a":[1]}\n[2]', '[{"a":[1]},[2]]'),
]
LIST_OF_LISTS = ["[[1,2],[3,4]]", " [ [1] , [2] ]", "[\n[1.0],[2.0]]"]
MISTAKEN = [
    ('{"x":"a]["}', '{"x":"a]["}'),
    ("[1] [2]", "[1] [2]"),
    ("1\n2\n3", "[1\n2\n3]"),
]
CSV = [
    ("1.0,2,3\n4,5,6", "[[1.0,2,3],[4,5,6]]"),
    ("1\n2\n5", "[1,2,5]"),
    ("\n 1,2 \r\n\r\n3,4\n", "[[1,2],[3,4]]"),
    ("", "[]"),
    ("a,b\n1,2", '[["a","b"],[1,2]]'),
    ('a,"b,c",d', '[["a","b,c","d"]]'),
    ('"say ""hi""",1', '[["say \\"hi\\"",1]]'),
    ('"""all quoted"""', '["\\"all quoted\\""]'),
    ('"1","2"', "[[1,2]]"),
    (".5,01,NaN,+1,", '[[".5","01","NaN","+1",""]]'),
    ("-1e-3,1E5,0.0,-0", "[[-1e-3,1E5,0.0,-0]]"),
    ("back\\slash", '["back\\\\slash"]'),
    ("1 , 2", "[[1 , 2]]"),
    ('"a, never closed', '["a, never closed"]'),
    ("é,1", '[["é",1]]'),
]
JSON_TYPES = ["application/json", "application/jsonlines", "application/jsons"]


def converted(body: str, content_type: str = "application/json") -> str:
    return to_tfs_json(content_type, body.encode()).decode()


@pytest.mark.parametrize("content_type", JSON_TYPES)
@pytest.mark.parametrize(("body", "instances"), ONE_INSTANCE)
def test_other_json_is_one_instance(body: str, instances: str, content_type: str) -> None:
    assert converted(body, content_type) == f'{{"instances":{instances}}}'


@pytest.mark.parametrize("body", AS_IT_IS)
def test_a_body_with_a_key_of_tf_serving_goes_as_it_is(body: str) -> None:
    assert converted(body) == body


@pytest.mark.parametrize(("body", "instances"), SEVERAL)
def test_documents_that_follow_one_another_are_instances(body: str, instances: str) -> None:
    assert converted(body) == f'{{"instances":{instances}}}'


@pytest.mark.parametrize("body", LIST_OF_LISTS)
def test_a_list_of_lists_is_the_list_of_instances(body: str) -> None:
    assert converted(body) == f'{{"instances":{body}}}'


@pytest.mark.parametrize(("body", "instances"), MISTAKEN)
def test_what_the_container_mistakes_is_mistaken_here_too(body: str, instances: str) -> None:
    assert converted(body) == f'{{"instances":{instances}}}'


@pytest.mark.parametrize(("body", "instances"), CSV)
def test_csv_rows_are_instances(body: str, instances: str) -> None:
    assert converted(body, "text/csv") == f'{{"instances":{instances}}}'


def test_a_csv_body_without_control_characters_is_always_json() -> None:
    rows = '"",a""b,"c\n\\,"\\""\nx"y"z,1'
    assert json.loads(converted(rows, "text/csv"))["instances"]


def test_bytes_that_are_no_utf8_become_the_replacement_character() -> None:
    assert to_tfs_json("text/csv", b"\xff") == '{"instances":["\ufffd"]}'.encode()


@pytest.mark.parametrize(
    "content_type",
    ["application/json; charset=utf-8", " Application/JSON ", "TEXT/CSV;header=absent"],
)
def test_parameters_and_case_of_the_content_type_do_not_matter(content_type: str) -> None:
    assert to_tfs_json(content_type, b"1") == (b'{"instances":[1]}')


@pytest.mark.parametrize(
    ("content_type", "named"),
    [
        ("image/png", "image/png"),
        ("Application/X-NPY; v=1", "application/x-npy"),
        ("", "Unknown"),
        (None, "Unknown"),
    ],
)
def test_other_content_types_are_refused_by_name(content_type: str | None, named: str) -> None:
    with pytest.raises(UnsupportedMediaType, match=f"^Unsupported Media Type: {named}$"):
        to_tfs_json(content_type, b"1")


@pytest.mark.parametrize(
    ("accept", "joined"),
    [
        ("application/json", True),
        ("application/jsonlines", True),
        ("text/csv, application/json", True),
        ("*/*", False),
        ("text/csv", False),
        ("application/json;q=0.9", False),
        (None, False),
    ],
)
def test_only_json_in_accept_puts_the_answer_on_one_line(accept: str | None, joined: bool) -> None:
    body, content_type = accepted(accept, b"{\n    1\n}")
    assert body == (b"{    1}" if joined else b"{\n    1\n}")
    assert content_type == "application/json"
