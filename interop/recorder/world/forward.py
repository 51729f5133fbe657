"""Forwards requests to a scripted model."""

import http.client
from urllib.parse import urlsplit

from .reply import Reply

STREAMS = ("text/event-stream", "application/x-ndjson")
# Headers of a single connection.
DROPPED = {"connection", "content-length", "host", "keep-alive", "proxy-connection", "transfer-encoding"}


def forward(model, method, path, headers, body):
    """Returns the answer of the model; a stream is forwarded as it arrives."""
    connection = http.client.HTTPConnection(urlsplit(model).netloc, timeout=60)
    connection.request(method, path, body, {name: text for name, text in headers.items() if name not in DROPPED})
    answer = connection.getresponse()
    kept = {name.lower(): text for name, text in answer.getheaders() if name.lower() not in DROPPED}
    if kept.get("content-type", "").startswith(STREAMS):
        return Reply(status=answer.status, headers=kept, frames=iter(lambda: answer.read1(1 << 16), b""))
    return Reply(answer.read(), answer.status, kept)
