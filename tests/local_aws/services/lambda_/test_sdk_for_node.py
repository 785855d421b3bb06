"""The AWS SDK for Node.js: npm fetches what code names, once; without an index nothing is made."""

from __future__ import annotations

import io
import json
import tarfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local_aws.gateway import Gateway
from local_aws.services.lambda_ import sdk_for_node
from tests.local_aws.functions import Functions, Stacks, zipped
from tests.local_aws.services.cloudformation.templates import get_att, resource, template

TINY = "@aws-sdk/client-tiny"
SOURCE = f"const tiny = require('{TINY}'); exports.handler = async () => tiny.name"


def _packed() -> bytes:
    content = io.BytesIO()
    files = {
        "package.json": json.dumps({"name": TINY, "version": "3.0.0", "main": "main.js"}),
        "main.js": "exports.name = 'tiny'",
    }
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return content.getvalue()


class Index(BaseHTTPRequestHandler):
    """An index of npm with one package."""

    def do_GET(self) -> None:
        if self.path == "/tiny.tgz":
            self._answer(200, _packed())
        elif "client-tiny" in self.path:
            url = f"http://{self.headers['Host']}/tiny.tgz"
            version = {"name": TINY, "version": "3.0.0", "dist": {"tarball": url}}
            about = {"name": TINY, "dist-tags": {"latest": "3.0.0"}, "versions": {"3.0.0": version}}
            self._answer(200, json.dumps(about).encode())
        else:
            self._answer(404, b"{}")

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: Any) -> None:
        return


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Index)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("npm_config_registry", f"http://127.0.0.1:{server.server_port}/")
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm"))
    yield server
    server.shutdown()
    server.server_close()


def _create(functions: Functions, name: str, source: str, **files: str) -> None:
    code = {"ZipFile": zipped({"index.js": source, **files})}
    functions.create(name, "", Runtime="nodejs24.x", Handler="index.handler", Code=code)


def test_what_code_names_of_the_sdk_is_fetched_once(
    functions: Functions, index: ThreadingHTTPServer
) -> None:
    _create(functions, "fetches", SOURCE)
    assert functions.invoke("fetches").payload == "tiny"
    assert sdk_for_node.fetched() == {TINY}
    index.shutdown()
    index.server_close()
    _create(functions, "finds", SOURCE.replace("exports", "void 0; exports"))
    assert functions.invoke("finds").payload == "tiny"


def test_what_no_index_has_is_left_to_the_function(
    functions: Functions, index: ThreadingHTTPServer
) -> None:
    _create(functions, "absent", f"require('@aws-sdk/client-none'); {SOURCE}")
    assert functions.invoke("absent").payload["errorType"] == "Runtime.ImportModuleError"
    assert sdk_for_node.fetched() == {TINY}


def test_what_a_zip_brings_is_not_fetched(functions: Functions, index: ThreadingHTTPServer) -> None:
    index.shutdown()
    index.server_close()
    own = {f"node_modules/{TINY}/index.js": "exports.name = 'own'"}
    _create(functions, "brings", SOURCE, **own)
    assert functions.invoke("brings").payload == "own"


def test_without_an_index_nothing_of_a_stack_is_made(
    functions: Functions, index: ThreadingHTTPServer
) -> None:
    index.shutdown()
    index.server_close()
    role = functions.role("offline")
    settings = {"Runtime": "nodejs24.x", "Handler": "index.handler", "Role": role}
    body = template(
        First=resource("SSM::Parameter", Type="String", Name="first", Value="v"),
        Code=resource("Lambda::Function", Code={"ZipFile": SOURCE}, **settings),
        Thing={
            "Type": "Custom::Thing",
            "Properties": {"ServiceToken": get_att("Code", "Arn")},
            "DependsOn": "First",
        },
    )
    cloudformation = functions.client("cloudformation")
    with pytest.raises(ClientError) as refusal:
        cloudformation.create_stack(StackName="offline", TemplateBody=json.dumps(body))
    said = refusal.value.response["Error"]["Message"]
    assert f"Resource Code: it imports {TINY}, which AWS's Node.js runtime brings" in said
    assert f"type: npm install --prefix {sdk_for_node.cache_folder()} {TINY}" in said
    assert functions.client("ssm").get_parameters(Names=["first"])["InvalidParameters"] == ["first"]
    with pytest.raises(ClientError, match="the local AWS cannot run this function: it imports"):
        _create(functions, "offline", SOURCE)


def test_code_that_cannot_be_loaded_fails_its_custom_resource_at_its_first_attempt(
    gateway: Gateway, functions: Functions
) -> None:
    """AWS's three attempts take three minutes, and this local AWS keeps AWS's time."""
    role = functions.role("unloaded")
    settings = {"Runtime": "python3.12", "Handler": "index.handler", "Role": role}
    body = template(
        Code=resource("Lambda::Function", Code={"ZipFile": "import not_there"}, **settings),
        Thing={"Type": "Custom::Thing", "Properties": {"ServiceToken": get_att("Code", "Arn")}},
    )
    stacks = Stacks(gateway, functions)
    stacks.create("unloaded", body, OnFailure="DO_NOTHING")
    reason = stacks.reason("unloaded", "CREATE_FAILED")
    assert "Runtime.ImportModuleError: Unable to import module 'index'" in reason
