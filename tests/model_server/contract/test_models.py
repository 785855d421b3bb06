"""Multi-model mode's API: the Python service of each generation, over numpy's engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sagemaker_serving.model_server.generations import Generation
from sagemaker_serving.model_server.multi_model import Outcome, served_path
from tests.model_server.contract.light import HALF, TEXT, Light
from tests.model_server.contract.multi import B2, TO_2_8, A, C, Multi, meant, uncaught
from tests.model_server.contract.test_code import ATTRIBUTES, PAIR, told

JSON = "application/json"
STATUS = {
    "model_version_status": [
        {
            "version": version,
            "state": "AVAILABLE",
            "status": {"error_code": "OK", "error_message": ""},
        }
        for version in ("123", "122")
    ]
}


@pytest.mark.parametrize("generation", Generation)
def test_a_model_is_loaded_listed_asked_and_unloaded(
    container: Light, generation: Generation
) -> None:
    multi = Multi(container, generation)
    assert meant(multi.ask("GET", "/models")) == (200, {})
    assert multi.load().status_code == 200
    assert meant(multi.ask("GET", "/models")) == (200, {HALF: STATUS})
    assert meant(multi.invoke()) == (200, {"predictions": [3.5]})
    unloaded = {"success": f"Successfully unloaded model {HALF}."}
    assert meant(multi.ask("DELETE", f"/models/{HALF}")) == (200, unloaded)
    assert meant(multi.ask("GET", "/models")) == (200, {})


@pytest.mark.parametrize("generation", Generation)
def test_a_load_tells_its_ports_and_up_to_2_8_those_of_all_models(
    container: Light, generation: Generation
) -> None:
    multi = Multi(container, generation)
    multi.load(TEXT)
    told_ports = {
        A: "rest port {'text': 9100, 'half_plus_three': 9099} "
        "and grpc port {'text': 9200, 'half_plus_three': 9199}.",
        C: "rest port 9099 and grpc port 9199.",
    }
    expected = told_ports[A if generation in TO_2_8 else C]
    success = f"Successfully loaded model half_plus_three, listening on {expected}"
    assert meant(multi.load()) == (200, {"success": success})


@pytest.mark.parametrize(
    ("url", "base_path"),
    [
        ("/opt/ml/models/half/model", "/served/half/model"),
        ("/opt/ml/model/half", "/served/half"),
        ("/opt/ml/models", "/served"),
        ("/served/half", "/served/half"),
    ],
)
def test_a_url_below_the_mounted_folders_means_the_folder_that_is_served(
    container: Light, url: str, base_path: str
) -> None:
    multi = Multi(container, C)
    multi.load(url=url)
    assert multi.engine_forks.base_paths == [Path(base_path)]


@pytest.mark.parametrize(
    "url", ["/opt/ml/modelsets/half", "/tmp/half", "/opt/ml/models/../half", "/served/../half", "."]
)
def test_a_url_outside_of_the_folder_that_is_served_has_no_model(
    container: Light, url: str
) -> None:
    multi = Multi(container, C)
    status, answer = meant(multi.load(url=url))
    assert (status, multi.engine_forks.base_paths) == (404, [])
    assert answer["error"].startswith(f"Could not find valid base path {url} for servable")


def test_no_link_leads_out_of_the_folder_that_is_served(tmp_path: Path) -> None:
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "half").symlink_to(tmp_path)
    assert served_path("/opt/ml/models/half", tmp_path / "served") is None


@pytest.mark.parametrize("generation", Generation)
def test_a_model_is_loaded_once(container: Light, generation: Generation) -> None:
    multi = Multi(container, generation)
    multi.load("text")
    errno = " [Errno 17] File exists: '/sagemaker/tfs-config/text'" if generation in TO_2_8 else ""
    assert meant(multi.load("text")) == (
        409,
        {"error": f"Model text is already loaded.{errno}"},
    )


@pytest.mark.parametrize("generation", Generation)
def test_a_model_that_is_not_loaded_is_a_404_of_three_wordings(
    container: Light, generation: Generation
) -> None:
    multi = Multi(container, generation)
    not_yet = "Model nope is not loaded yet"
    status = f"{not_yet}." if generation is C else "Model nope is loaded yet."
    assert meant(multi.ask("GET", "/models/nope")) == (404, {"error": status})
    assert meant(multi.ask("DELETE", "/models/nope")) == (404, {"error": not_yet})
    assert meant(multi.invoke("nope")) == (404, {"error": f"{not_yet}."})


@pytest.mark.parametrize("generation", Generation)
def test_the_status_of_one_model_is_there_since_2_20(
    container: Light, generation: Generation
) -> None:
    multi = Multi(container, generation)
    multi.load()
    expected = (200, {"model": STATUS}) if generation is C else uncaught(generation)
    assert meant(multi.ask("GET", f"/models/{HALF}")) == expected


@pytest.mark.parametrize("generation", Generation)
def test_a_folder_without_versions_is_a_404(container: Light, generation: Generation) -> None:
    multi = Multi(container, generation, outcome=Outcome.NO_BASE_PATH)
    error = f"Could not find valid base path /opt/ml/models/half/model for servable {HALF}"
    assert meant(multi.load()) == (404, {"error": error})


@pytest.mark.parametrize("generation", Generation)
def test_no_ports_are_a_507(container: Light, generation: Generation) -> None:
    multi = Multi(container, generation, outcome=Outcome.NO_PORTS)
    error = "Memory exhausted: no available ports to load the model."
    assert meant(multi.load()) == (507, {"error": error})


@pytest.mark.parametrize(
    ("outcome", "status", "text"),
    [
        (Outcome.FAILED, 408, "Timed out after 55 seconds"),
        (Outcome.NO_MEMORY, 507, "Memory exhausted: not enough memory to start TFS instance"),
    ],
)
@pytest.mark.parametrize("generation", Generation)
def test_a_load_that_fails_says_why_in_plain_text_and_up_to_2_8_not_at_all(
    container: Light, generation: Generation, outcome: Outcome, status: int, text: str
) -> None:
    response = Multi(container, generation, outcome=outcome).load()
    if generation in TO_2_8:
        assert meant(response) == uncaught(generation)
    else:
        came = response.status_code, response.get_data(as_text=True), response.content_type
        assert came == (status, text, JSON)


@pytest.mark.parametrize("generation", Generation)
def test_batching_keeps_models_from_loading_up_to_2_19(
    container: Light, generation: Generation
) -> None:
    response = Multi(container, generation, batching=True).load()
    if generation in TO_2_8:
        assert meant(response) == uncaught(generation)
    elif generation is B2:
        said = response.status_code, response.get_data(as_text=True)
        assert said == (500, "No such file or directory")
    else:
        assert response.status_code == 200


@pytest.mark.parametrize(
    "body",
    ["", "{", "[]", "7", "{}", '{"model_name": "m"}', '{"url": "/m"}', '{"model_name":1,"url":2}'],
)
@pytest.mark.parametrize("generation", Generation)
def test_a_load_request_that_makes_no_sense_is_a_500(
    container: Light, generation: Generation, body: str
) -> None:
    multi = Multi(container, generation)
    assert meant(multi.ask("POST", "/models", data=body)) == uncaught(generation)
    assert multi.engine_forks.models == {}


@pytest.mark.parametrize("name", ["../x", "", ".hidden", "a/b", "x" * 256, "a b"])
def test_names_are_judged_since_2_20(container: Light, name: str) -> None:
    assert meant(Multi(container, C).load(name)) == (
        400,
        {"error": f"invalid model_name: {name!r}"},
    )
    assert Multi(container, B2).load(name).status_code == 200


def test_names_in_paths_are_judged_too(container: Light) -> None:
    multi = Multi(container, C)
    bad = {"error": "invalid model_name: '.x'"}
    assert meant(multi.ask("GET", "/models/.x")) == (400, bad)
    assert meant(multi.ask("DELETE", "/models/.x")) == (400, bad)


@pytest.mark.parametrize("generation", Generation)
def test_an_invocation_names_its_model_in_the_path(
    container: Light, generation: Generation
) -> None:
    error = "Invocation request does not contain model name."
    expected: tuple[int, Any] = (400, {"error": error})
    if generation in TO_2_8:
        expected = (500, {"error": "local variable 'data' referenced before assignment"})
    assert meant(Multi(container, generation).ask("POST", "/invocations", data="1")) == expected


@pytest.mark.parametrize("generation", Generation)
def test_nothing_is_converted_and_errors_come_as_in_the_python_service(
    container: Light, generation: Generation
) -> None:
    multi = Multi(container, generation)
    multi.load()
    response = multi.invoke(data="1.0", content_type="text/csv", headers={"Accept": "x/mine"})
    came = response.status_code, response.content_type
    assert came == ((400, "application/json") if generation is C else (200, "x/mine"))
    assert ("Is not object" in response.get_data(as_text=True)) == (generation is not C)


def test_another_content_type_is_a_415_since_2_20(container: Light) -> None:
    multi = Multi(container, C)
    multi.load()
    response = multi.invoke(content_type="image/png")
    assert meant(response) == (415, {"error": "Unsupported Media Type: image/png"})


@pytest.mark.parametrize("generation", Generation)
def test_a_dead_model_is_forgotten_since_2_20_and_fails_before(
    container: Light, generation: Generation
) -> None:
    multi = Multi(container, generation)
    multi.engine_forks._rest_port = 1  # where nobody answers
    multi.load()
    multi.engine_forks.models[HALF] = False
    status, body = meant(multi.invoke())
    if generation is C:
        assert (status, body) == (404, {"error": f"Model {HALF} is not loaded yet."})
        assert multi.engine_forks.models == {}
        return
    assert status == 500
    assert "Connection refused" in body["error"]
    status, _ = meant(multi.ask("DELETE", f"/models/{HALF}"))
    assert status == (500 if generation is B2 else 200)
    assert multi.engine_forks.models == {}


@pytest.mark.parametrize("generation", Generation)
def test_the_context_has_the_path_s_model_a_number_and_no_channel(
    container: Light, generation: Generation
) -> None:
    multi = Multi(container, generation, universal=told)
    multi.load()
    attributes = "tfs-model-name=text,tfs-model-version=122"
    context = json.loads(multi.invoke(headers={ATTRIBUTES: attributes}).get_data(as_text=True))
    assert context["model_name"] == HALF
    assert context["rest_uri"].endswith(f"/v1/models/{HALF}/versions/122:predict")
    assert (context["grpc_port"], context["channel"]) == (9200, None)


def test_a_bad_attribute_is_a_400_since_2_20(container: Light) -> None:
    multi = Multi(container, C)
    multi.load()
    response = multi.invoke(headers={ATTRIBUTES: "tfs-method=delete"})
    assert response.status_code == 400


@pytest.mark.parametrize("generation", Generation)
def test_a_model_s_own_code_comes_before_the_universal_since_2_9(
    container: Light, tmp_path: Path, generation: Generation
) -> None:
    code = tmp_path / HALF / "model" / "code"
    (code / "lib").mkdir(parents=True)
    (code / "lib" / f"brought_{generation}.py").write_text("TYPE = 'x/own'")
    (code / "inference.py").write_text(
        f"import brought_{generation} as brought\n"
        "def handler(data, context): return 'own', brought.TYPE\n"
    )
    multi = Multi(container, generation, tmp_path, universal=PAIR)
    for name in (HALF, TEXT):
        assert multi.load(name).status_code == 200
    kinds = [multi.invoke(HALF).content_type, multi.invoke(TEXT, data="{}").content_type]
    assert kinds[0] == ("x/pair" if generation in TO_2_8 else "x/own")
    assert kinds[1] == ("application/json" if generation is C else "x/pair")


@pytest.mark.parametrize("script", ["import nowhere_to_be_found", "x = 1"])
@pytest.mark.parametrize("generation", [B2, C])
def test_a_model_whose_code_is_broken_is_a_500_and_is_not_loaded(
    container: Light, tmp_path: Path, generation: Generation, script: str
) -> None:
    code = tmp_path / HALF / "model" / "code"
    code.mkdir(parents=True)
    (code / "inference.py").write_text(script)
    multi = Multi(container, generation, tmp_path)
    assert meant(multi.load()) == uncaught(generation)
    assert multi.engine_forks.models == {}


def test_code_is_imported_anew_with_the_model(container: Light, tmp_path: Path) -> None:
    code = tmp_path / HALF / "model" / "code"
    code.mkdir(parents=True)
    multi = Multi(container, C, tmp_path)
    said = []
    for text in ("first", "second"):
        (code / "inference.py").write_text(f"def handler(data, context): return {text!r}, 'x/t'")
        multi.load()
        said.append(multi.invoke().get_data(as_text=True))
        multi.ask("DELETE", f"/models/{HALF}")
    assert said == ["first", "second"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("PUT", "/models", 405),
        ("DELETE", "/models", 500),
        ("GET", "/models/x/y", 404),
        ("GET", "/ping", 200),
        ("GET", "/invocations", 200),
    ],
)
@pytest.mark.parametrize("generation", Generation)
def test_other_methods_and_paths(
    container: Light, generation: Generation, method: str, path: str, status: int
) -> None:
    assert Multi(container, generation).ask(method, path).status_code == status
