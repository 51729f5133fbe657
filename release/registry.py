"""A local npm registry that runs for the duration of a `with` block."""

import base64
import hashlib
import json
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote


class Registry:
    """Serves package files through the npm registry API."""

    def __init__(self, files):
        self.files = {path.name: path for path in files}

    def __enter__(self):
        registry = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                answer = registry.answer(unquote(self.path.split("?")[0]).lstrip("/"))
                self.send_response(404 if answer is None else 200)
                self.send_header("content-length", str(len(answer or b"")))
                self.end_headers()
                self.wfile.write(answer or b"")

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.packages = {}
        for path in self.files.values():
            self.add(path)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def add(self, path):
        with tarfile.open(path) as packed:
            described = json.load(packed.extractfile("package/package.json"))
        digest = base64.b64encode(hashlib.sha512(path.read_bytes()).digest()).decode()
        described["dist"] = {"tarball": f"{self.url}/files/{path.name}", "integrity": f"sha512-{digest}"}
        # npm runs the scripts of a package only if this is set.
        described["hasInstallScript"] = "preinstall" in described.get("scripts", {})
        name, version = described["name"], described["version"]
        self.packages[name] = {"name": name, "dist-tags": {"latest": version}, "versions": {version: described}}

    def answer(self, path):
        if path.startswith("files/"):
            file = self.files.get(path.removeprefix("files/"))
            return file.read_bytes() if file else None
        package = self.packages.get(path)
        return json.dumps(package).encode() if package else None
