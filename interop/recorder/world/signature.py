"""Verifies signature version 4 of AWS requests: a request that was changed in transit no longer matches it."""

import hashlib
import hmac
from urllib.parse import quote, urlsplit


def is_signed(secret, method, path, headers, body):
    """Whether a request has a valid signature for the secret key. Header names are in lower case."""
    scheme, _, fields = headers.get("authorization", "").partition(" ")
    fields = dict(field.strip().split("=", 1) for field in fields.split(",") if "=" in field)
    if scheme != "AWS4-HMAC-SHA256" or not {"Credential", "SignedHeaders", "Signature"} <= fields.keys():
        return False
    scope = fields["Credential"].split("/", 1)[1]
    split = urlsplit(path)
    names = fields["SignedHeaders"].split(";")
    canonical = [
        method,
        quote(split.path, safe="/~"),
        "&".join(sorted(split.query.split("&"))),
        *(f"{name}:{' '.join(headers.get(name, '').split())}" for name in names),
        "",
        fields["SignedHeaders"],
        headers.get("x-amz-content-sha256") or hashlib.sha256(body).hexdigest(),
    ]
    digest = hashlib.sha256("\n".join(canonical).encode()).hexdigest()
    key = b"AWS4" + secret.encode()
    for part in scope.split("/"):
        key = sign(key, part)
    made = sign(key, "\n".join([scheme, headers.get("x-amz-date", ""), scope, digest])).hex()
    return hmac.compare_digest(made, fields["Signature"])


def sign(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()
