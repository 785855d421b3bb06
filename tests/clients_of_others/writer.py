"""A container that streams tokens as server-sent events: what a user's own engine may be."""

from __future__ import annotations

import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Writer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for token in asked["tokens"]:
                self.chunk(f"data: {token}\n\n".encode())
                while Path(asked.get("held_at", "/none")).exists():
                    time.sleep(0.02)
            if asked.get("breaks"):
                self.close_connection = True
            else:
                self.chunk(b"")
        except OSError:
            print("the client has left", flush=True)
            self.close_connection = True

    def chunk(self, content: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(content), content))

    def log_message(self, *arguments: object) -> None:
        print(*arguments, file=sys.stderr)


if __name__ == "__main__":
    port = int(os.environ["SAGEMAKER_BIND_TO_PORT"].split("-")[0])
    ThreadingHTTPServer(("127.0.0.1", port), Writer).serve_forever()
