"""`make serve`: the built site on loopback, opened in the reader's browser."""

import contextlib
import functools
import http.server
import threading
import webbrowser

from attend_book import ROOT

PORT = 8008


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files and keeps the terminal for what matters."""

    def log_message(self, *message):
        """Say nothing of requests that went well."""


@contextlib.contextmanager
def listening(handler):
    """The address on this machine under which a handler of requests answers while the with block runs."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


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
