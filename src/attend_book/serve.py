"""`make serve`: the built site on loopback, opened in the reader's browser."""

import contextlib
import functools
import http.server
import webbrowser

from attend_book import ROOT

PORT = 8008


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files and keeps the terminal for what matters."""

    def log_message(self, *message):
        """Say nothing of requests that went well."""


def serve(arguments):
    """Serve `_build/html` on the first free port from 8008 on, until interrupted."""
    handler = functools.partial(Quiet, directory=ROOT / "_build" / "html")
    for port in [*range(PORT, PORT + 20), 0]:
        with contextlib.suppress(OSError):
            server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
            break
    address = f"http://127.0.0.1:{server.server_port}/"
    print(f"The book is at {address} (stop with Ctrl-C)", flush=True)
    webbrowser.open(address)
    with server, contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()
    return 0
