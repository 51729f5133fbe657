"""A2A agents built on the official package `a2a-sdk`, each on its own path of one free port.

    python3 server.py [CERTIFICATE KEY AUTHORITY]

It prints its addresses as JSON and serves until it is stopped. Each agent has its card at `/NAME/card.json`; the agents differ in
their bindings and middleware. `GET /journal` returns the received requests. With a certificate there is a second port for clients
with a certificate of the authority.
"""

import asyncio
import json
import logging
import socket
import ssl
import sys

import uvicorn
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_jsonrpc_routes, create_rest_routes
from a2a.server.routes.agent_card_routes import create_agent_card_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, AgentInterface
from agent import Shop
from doors import JOURNAL, TOKENS, Breaking, Locked, Noted, fits_once, token
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Mount, Route


def card(address, *bindings, streaming=True, version="1.0", tenant=""):
    interfaces = [
        AgentInterface(url=address, protocol_binding=binding, protocol_version=version, tenant=tenant)
        for binding in bindings
    ]
    return AgentCard(
        name="shop",
        description="Sells journeys",
        version="1.0.0",
        capabilities=AgentCapabilities(streaming=streaming),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        supported_interfaces=interfaces,
    )


def agent(origin, name, *bindings, door=None, old=False, **details):
    """A separate agent with these bindings, in order of preference; `GRPC` is listed but not served."""
    described = card(f"{origin}/{name}/", *bindings, **details)
    handler = DefaultRequestHandler(agent_executor=Shop(), task_store=InMemoryTaskStore(), agent_card=described)
    routes = create_agent_card_routes(described, card_url="/card.json")
    if "JSONRPC" in bindings:
        routes += create_jsonrpc_routes(handler, "/", enable_v0_3_compat=old)
    if "HTTP+JSON" in bindings:
        routes += create_rest_routes(handler, enable_v0_3_compat=old)
    app = Starlette(routes=routes)
    return Mount(f"/{name}", door(app) if door else app)


def mute(origin, name):
    """An agent with a valid card and invalid answers."""

    async def answer(request):
        said = (await request.json())["params"]["message"]["parts"][0]["text"]
        return ANSWERS[said]()

    async def show(_):
        interface = {"url": f"{origin}/{name}", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        return JSONResponse({"name": "x", "supportedInterfaces": [interface], "capabilities": {}})

    return Mount(f"/{name}", routes=[Route("/card.json", show), Route("/", answer, methods=["POST"])])


ANSWERS = {
    "html": lambda: PlainTextResponse("<h1>Welcome</h1>", media_type="text/html"),
    "http500": lambda: PlainTextResponse("the database is on fire", status_code=500),
    "nothing": lambda: PlainTextResponse("", media_type="text/event-stream"),
    "neither": lambda: JSONResponse({"jsonrpc": "2.0", "id": "1"}),
    "strange": lambda: JSONResponse({"jsonrpc": "2.0", "id": "1", "result": {"weather": "fine"}}),
    "garbled": lambda: PlainTextResponse("data: {\n\n", media_type="text/event-stream"),
    "item": lambda: PlainTextResponse(
        'event: error\ndata: {"jsonrpc": "2.0", "id": "1", "error": {"code": -32603, "message": "out of paper"}}\n\n',
        media_type="text/event-stream",
    ),
}


def agents(origin):
    def by(name, value):
        return lambda request: request.headers.get(name) == value

    def locked(fits):
        return lambda app: Locked(app, lambda request: request.url.path.endswith("card.json") or fits(request))

    return [
        agent(origin, "rpc", "GRPC", "JSONRPC", "HTTP+JSON"),
        agent(origin, "rest", "GRPC", "HTTP+JSON", "JSONRPC"),
        agent(origin, "tenant", "HTTP+JSON", tenant="acme"),
        agent(origin, "whole", "JSONRPC", streaming=False),
        agent(origin, "restwhole", "HTTP+JSON", streaming=False),
        agent(origin, "old", "JSONRPC", version="0.3", old=True),
        agent(origin, "oldrest", "HTTP+JSON", version="0.3", old=True),
        agent(origin, "grpc", "GRPC"),
        agent(origin, "bearer", "JSONRPC", door=locked(by("authorization", "Bearer tok3n-of-the-user"))),
        agent(origin, "key", "JSONRPC", door=locked(by("x-api-key", "k3y-of-the-user"))),
        agent(origin, "query", "HTTP+JSON", door=locked(lambda request: request.query_params.get("key") == "k3y-&=?")),
        agent(origin, "cookie", "JSONRPC", door=locked(lambda request: request.cookies.get("session") == "c00kie")),
        agent(
            origin,
            "oauth",
            "JSONRPC",
            door=locked(lambda request: TOKENS and by("authorization", f"Bearer {TOKENS[-1]}")(request)),
        ),
        agent(origin, "brief", "JSONRPC", door=locked(fits_once)),
        agent(origin, "never", "JSONRPC", door=locked(lambda _: False)),
        # Its card is protected as well.
        agent(origin, "private", "JSONRPC", door=lambda app: Locked(app, by("authorization", "Bearer tok3n"))),
        agent(origin, "cut", "JSONRPC", door=Breaking),
        agent(origin, "cutrest", "HTTP+JSON", door=Breaking),
        agent(origin, "cutold", "JSONRPC", version="0.3", old=True, door=Breaking),
        agent(origin, "closed", "JSONRPC", door=lambda app: Breaking(app, clean=True)),
        agent(origin, "lost", "JSONRPC", door=lambda app: Breaking(app, resumes=False)),
        mute(origin, "mute"),
    ]


async def journal(_):
    return JSONResponse(JOURNAL)


def listen():
    listener = socket.create_server(("127.0.0.1", 0))
    return listener, listener.getsockname()[1]


def server(routes, **settings):
    app = Starlette(routes=[Route("/journal", journal), Route("/token", token, methods=["POST"]), *routes])
    app.add_middleware(Noted)
    return uvicorn.Server(uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1, **settings))


async def main():
    logging.disable(logging.CRITICAL)
    listener, port = listen()
    origin = f"http://127.0.0.1:{port}"
    addresses = {"url": origin}
    serving = [server(agents(origin)).serve(sockets=[listener])]
    if len(sys.argv) > 1:
        certificate, key, authority = sys.argv[1:]
        safe, port = listen()
        addresses["safe_url"] = f"https://127.0.0.1:{port}"
        locked = {"ssl_certfile": certificate, "ssl_keyfile": key, "ssl_ca_certs": authority}
        routes = [agent(addresses["safe_url"], "safe", "JSONRPC")]
        serving.append(server(routes, ssl_cert_reqs=ssl.CERT_REQUIRED, **locked).serve(sockets=[safe]))
    print(json.dumps(addresses), flush=True)
    await asyncio.gather(*serving)


if __name__ == "__main__":
    asyncio.run(main())
