"""The site on loopback, as GitHub Pages serves it: below a folder, text gzipped, no index of folders."""

import mimetypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tests.site.built import TEXT, travels

PREFIX = "/attend/"
mimetypes.add_type("font/woff2", ".woff2")
mimetypes.add_type("text/javascript", ".js")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    root: Path

    def do_GET(self):
        """Send one file, or 404."""
        path = unquote(urlsplit(self.path).path)
        file = (self.root / path.removeprefix(PREFIX)).resolve()
        file = file / "index.html" if file.is_dir() else file
        if not path.startswith(PREFIX) or not file.is_relative_to(self.root) or not file.is_file():
            self._send(404, "text/plain", b"not here")
            return
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        packed = {"Content-Encoding": "gzip"} if file.suffix in TEXT else {}
        self._send(200, f"{kind}; charset=utf-8" if file.suffix in TEXT else kind, travels(file), packed)

    def _send(self, status, kind, body, more=None):
        headers = {"Content-Type": kind, "Content-Length": str(len(body)), "Cache-Control": "max-age=600"}
        self.send_response(status)
        for name, value in (headers | (more or {})).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A browser that hangs up early is no error."""


@contextmanager
def serving(root: Path) -> Iterator[str]:
    """The address of `root` while it is served, with a slash at its end."""
    handler = type("Handler", (_Handler,), {"root": root.resolve()})
    with _Server(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}{PREFIX}"
        finally:
            server.shutdown()
