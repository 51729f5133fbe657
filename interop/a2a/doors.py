"""Middleware in front of an agent: a request log, authentication, connections that break."""

import json
from base64 import b64decode
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import JSONResponse

JOURNAL = []
TOKENS = []


class Noted:
    """Adds each request to the journal, and makes its body available to the next application."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http" or scope["path"] in ("/journal", "/token"):
            return await self.app(scope, receive, send)
        request = Request(scope, receive)
        body = (await request.body()).decode()
        JOURNAL.append({"path": scope["path"], "headers": dict(request.headers), "body": body})
        scope["asked"] = body
        given = False

        async def again():
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body.encode(), "more_body": False}

        await self.app(scope, again, send)


class Locked:
    """Accepts only requests with the right credentials."""

    def __init__(self, app, fits):
        self.app, self.fits = app, fits

    async def __call__(self, scope, receive, send):
        request = Request(scope)
        if self.fits(request):
            return await self.app(scope, receive, send)
        refusal = JSONResponse({"detail": "who are you?"}, status_code=401, headers={"WWW-Authenticate": "Bearer"})
        await refusal(scope, receive, send)


class Breaking:
    """Ends the stream of a message after three items, cleanly or with a reset; a resumed stream is complete."""

    def __init__(self, app, clean=False, resumes=True):
        self.app, self.clean, self.resumes = app, clean, resumes

    async def __call__(self, scope, receive, send):
        asked = scope["path"] + scope["asked"]
        if not self.resumes and ("SubscribeToTask" in asked or ":subscribe" in asked):
            error = {"code": -32004, "message": "This operation is not supported"}
            answer = JSONResponse({"jsonrpc": "2.0", "id": json.loads(scope["asked"])["id"], "error": error})
            return await answer(scope, receive, send)
        if "SendStreamingMessage" not in asked and "message:stream" not in asked and "message/stream" not in asked:
            return await self.app(scope, receive, send)
        left = 3

        async def sending(message):
            nonlocal left
            if message["type"] == "http.response.body" and message.get("body"):
                left -= 1
            await send(message)
            if left == 0:
                raise Broken

        try:
            await self.app(scope, receive, sending)
        except BaseException as error:  # noqa: BLE001 - the server wraps it in exceptions of its own
            if not self.clean:
                raise ConnectionResetError from error
            await send({"type": "http.response.body", "body": b"", "more_body": False})


class Broken(Exception):
    """Breaks the connection here."""


async def token(request):
    """Issues a new token for client credentials; only the last one is valid."""
    form = {name: values[0] for name, values in parse_qs((await request.body()).decode()).items()}
    header = request.headers.get("authorization", "")
    basic = b64decode(header.removeprefix("Basic ")).decode() if header.startswith("Basic ") else None
    in_body = request.query_params.get("in") == "body"
    known = form.get("client_secret") == "client-s3cret" if in_body else basic == "shop:client-s3cret"
    if not known or form.get("grant_type") != "client_credentials":
        return JSONResponse({"error": "invalid_client"}, status_code=401)
    TOKENS.append(f"token-{len(TOKENS) + 1}-for-{form.get('scope', 'nothing')}")
    return JSONResponse({"access_token": TOKENS[-1], "token_type": "Bearer", "expires_in": 3600})


def fits_once(request):
    """Whether the request has the last token, used for the first time."""
    fits = bool(TOKENS) and request.headers.get("authorization") == f"Bearer {TOKENS[-1]}"
    if fits:
        TOKENS.append("nobody has this one")
    return fits
