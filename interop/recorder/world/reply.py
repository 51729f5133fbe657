"""The reply of a server: a body, or frames that are sent one after another."""

import binascii
import json
import struct
from dataclasses import dataclass, field


@dataclass
class Reply:
    body: bytes = b""
    status: int = 200
    headers: dict = field(default_factory=dict)
    frames: list = None


def of_json(value, status=200, **headers):
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return Reply(json.dumps(value).encode(), status, {"content-type": "application/json", **named})


def stream(frames, content_type="text/event-stream"):
    return Reply(headers={"content-type": content_type, "cache-control": "no-cache"}, frames=frames)


def data(value, end="\n\n"):
    return f"data: {json.dumps(value)}{end}".encode()


def event(value, name=None):
    """A server-sent event, named after the type of its data by default."""
    return f"event: {name or value['type']}\n".encode() + data(value)


def amazon_event(kind, value):
    """A message of Amazon's event streams: lengths, headers, payload and checksums."""
    headers = {":event-type": kind, ":content-type": "application/json", ":message-type": "event"}
    packed = b"".join(
        bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(text)) + text.encode()
        for name, text in headers.items()
    )
    payload = json.dumps(value).encode()
    start = struct.pack(">II", 16 + len(packed) + len(payload), len(packed))
    start += struct.pack(">I", binascii.crc32(start))
    message = start + packed + payload
    return message + struct.pack(">I", binascii.crc32(message))
