"""A server of one's own, which stands in for an image by a command."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

SERVER = """
import json, os, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(b"")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        path = os.path.join(os.environ["SM_MODEL_DIR"], "factor")
        factor = open(path).read() if os.path.exists(path) else None
        told = {"factor": factor, "body": body.decode(), "path": self.path}
        self.answer(json.dumps(told | {"mode": os.environ.get("MODE")}).encode())

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

port = 8080 if "8080" in sys.argv else int(os.environ["SAGEMAKER_BIND_TO_PORT"])
print("the command listens", flush=True)
ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""


def command_of(folder: Path) -> str:
    """The command that runs it, from a file in ``folder``: on the port that it is told, or 8080."""
    script = folder / "server.py"
    script.write_text(SERVER)
    return shlex.join([sys.executable, str(script)])
