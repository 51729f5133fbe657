"""The servers that are not models: tools over HTTP."""

import gzip
import json
import secrets

from .reply import Reply, of_json


def weather(city):
    """Returns a random temperature."""
    return of_json({"city": city, "degrees": secrets.randbelow(1000) / 10})


def orders(name, body):
    if body is not None:
        return of_json({"order": name, "refunded": body.get("amount")})
    return of_json({"id": name, "total": 60, "paid": True, "seen": secrets.token_hex(4)})


def key_of(headers):
    """Returns the API key of a request, from any of the headers that carry it."""
    bearer = headers.get("authorization", "").removeprefix("Bearer ")
    return headers.get("x-api-key") or headers.get("x-goog-api-key") or bearer


def zipped(reply):
    """Compresses a reply with gzip, whether or not the client accepts it."""
    headers = {**reply.headers, "content-encoding": "gzip"}
    return Reply(gzip.compress(reply.body), reply.status, headers)


def busy(host):
    """The rate limit error of a provider."""
    error = {"type": "rate_limit_error", "message": "Too many requests", "code": "rate_limit_exceeded"}
    return of_json({"type": "error", "error": error, "host": host}, 429, retry_after="1")


def forged():
    """Amazon's error for a request that was changed after it was signed."""
    return of_json({"message": "The request signature we calculated does not match the signature you provided."}, 403)


def unknown(method, path):
    return of_json({"error": {"message": f"there is no {method} {path}", "type": "invalid_request_error"}}, 404)


def parsed(body):
    try:
        return json.loads(body)
    except ValueError:
        return None
