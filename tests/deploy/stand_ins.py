"""Small real programs in the places of shard and gateway, to test what keeps them.

``shard ENDPOINT`` binds its socket and tells whoever connects its pid. ``gateway`` reads the
manifest and serves ``/status`` of who answers. ``dies`` does, with a word.
"""

import contextlib
import http.server
import json
import os
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import Any

from common.endpoints import all_replicas, ipc_path
from common.manifest import Library, digest, load


def main() -> None:
    """Be the program that the first argument names, until SIGTERM."""
    role, *arguments = sys.argv[1:]
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    {"shard": _shard, "gateway": _gateway, "dies": _dies, "deaf": _deaf}[role](*arguments)


def _shard(address: str) -> None:
    path = ipc_path(address)
    assert path
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        sys.stderr.write(json.dumps({"event": "shard ready", "pid": os.getpid()}) + "\n")
        sys.stderr.flush()
        while True:
            client, _ = server.accept()
            with client, contextlib.suppress(BrokenPipeError):
                client.sendall(str(os.getpid()).encode())


def _gateway() -> None:
    port = int(os.environ["MCP_PORT"])
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), _Status) as server:
        server.serve_forever()


def _dies(word: str) -> None:
    sys.stderr.write(word + "\n")
    sys.exit(3)


def _deaf() -> None:
    """Neither answers nor ends when it is asked to."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    threading.Event().wait()


class _Status(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        manifest = load(Path(os.environ["CORPUS_CONFIG"]))
        libraries = [_library(one) for one in manifest.libraries]
        status = {"state": "ready", "manifest": digest(manifest), "libraries": libraries}
        body = json.dumps(status)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""


def _library(library: Library) -> dict[str, Any]:
    found = all_replicas(Path(os.environ["CORPUS_RUN_DIR"])).get(library.slug, [])
    replicas = [_replica(address) for address in found]
    ready = any(replica["state"] == "ready" for replica in replicas)
    state = "ready" if ready else "unavailable"
    return {"name": library.name, "slug": library.slug, "state": state, "replicas": replicas}


def _replica(address: str) -> dict[str, Any]:
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(ipc_path(address)))
            pid = int(client.recv(20))
    except OSError:
        return {"endpoint": address, "state": "down", "pid": 0}
    return {"endpoint": address, "state": "ready", "pid": pid}


if __name__ == "__main__":
    main()
