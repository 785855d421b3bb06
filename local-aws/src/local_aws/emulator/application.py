"""The emulator behind the gateway: one of its applications for each service of AWS."""

from __future__ import annotations

from typing import Any

from moto.moto_server import werkzeug_app

werkzeug_app.DISABLE_GLOBAL_CORS = True
"""The emulator would let every web page read every answer; what a bucket's own rules say is
left to S3."""


class Emulator(werkzeug_app.DomainDispatcherApplication):  # type: ignore[misc]
    """Finds a request's application by what its signature was verified for, and by nothing else.

    The emulator itself looks at the path first, where it has pages that reset it or stand for an
    instance's metadata, and guesses the service of what is not signed.
    """

    def __init__(self) -> None:
        super().__init__(werkzeug_app.create_backend_app)

    def get_application(self, environ: dict[str, Any]) -> Any:
        """The application of the service in the Authorization header, as the gateway wrote it."""
        with self.lock:
            host = self.infer_service_region_host(environ, environ.get("PATH_INFO", ""))
            backend = self.get_backend_for_host(host)
            if backend not in self.app_instances:
                self.app_instances[backend] = self.create_app(backend)
            return self.app_instances[backend]
