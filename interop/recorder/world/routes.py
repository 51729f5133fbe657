"""Selects the server that answers a request."""

import hashlib
from urllib.parse import parse_qs, urlsplit

from bench import KEYS

from . import anthropic, openai, others, tools
from .forward import forward
from .signature import is_signed

# Hosts whose requests go to the scripted model, if there is one.
SCRIPTED = ("api.openai.com", "api.anthropic.com", "generativelanguage.googleapis.com", "ollama.com", "shop.openai.azure.com")


class Routes:
    def __init__(self, model=None):
        self.busy = set()
        self.model = model

    def reply(self, method, host, path, headers, body):
        """Returns the reply to a request. A question that contains `busy` is refused once before it is answered."""
        value = tools.parsed(body) if body else None
        if self.model and host in SCRIPTED and "/traces/" not in path:
            return forward(self.model, method, path, headers, body)
        if b"busy" in body and self.first(body):
            return tools.busy(host)
        amazon = host.endswith(".amazonaws.com")
        if amazon and not is_signed(KEYS["AWS_SECRET_ACCESS_KEY"], method, path, headers, body):
            return tools.forged()
        reply = self.routed(method, host, path, headers, value)
        # Streams are not compressed.
        if reply.frames is None and (b"zipped" in body or "zipped" in path):
            return tools.zipped(reply)
        return reply

    def first(self, body):
        digest = hashlib.sha256(body).digest()
        first = digest not in self.busy
        self.busy.add(digest)
        return first

    def routed(self, method, host, path, headers, value):
        split = urlsplit(path)
        place, query = split.path, parse_qs(split.query)
        key = tools.key_of(headers) or query.get("key", [""])[0]
        if place == "/weather":
            return tools.weather(query.get("city", [""])[0])
        if place.startswith("/orders/"):
            return tools.orders(place.removeprefix("/orders/"), value)
        if place == "/v1/traces/ingest":
            return tools.of_json({"object": "list", "data": []})
        if place == "/whoami":
            return tools.of_json({"key": key})
        if method != "POST" or value is None:
            return tools.unknown(method, place)
        if place.endswith("/chat/completions"):
            return openai.chat(value, key)
        if place.endswith("/responses"):
            return openai.responses(value, key)
        if place.endswith("/messages"):
            return anthropic.messages(value, key)
        if place.endswith(":generateContent"):
            return others.gemini(value, key, streamed=False)
        if place.endswith(":streamGenerateContent"):
            return others.gemini(value, key, streamed=True)
        if place.endswith("/v2/chat"):
            return others.cohere(value, key)
        if place.endswith("/api/chat"):
            return others.ollama(value, key)
        if place.endswith("/converse"):
            return others.converse(value, key, streamed=False)
        if place.endswith("/converse-stream"):
            return others.converse(value, key, streamed=True)
        return tools.unknown(method, place)
