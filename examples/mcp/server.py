"""The MCP server of a library, over stdio: two tools and a resource, with the standard library only. Protocol version 2025-06-18.

`agentci` starts it and exchanges one message per line with it.
"""

import json
import sys

BOOKS = {"Dune": 412, "Emma": 474, "Ulysses": 730}

TOOLS = [
    {
        "name": "search_books",
        "description": "Finds books by a part of their title",
        "inputSchema": {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]},
        "outputSchema": {"type": "object", "properties": {"books": {"type": "array"}}, "required": ["books"]},
    },
    {
        "name": "reserve_book",
        "description": "Reserves a book; asks who it is for",
        "inputSchema": {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]},
    },
]

READER = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def ask(question, schema):
    """Asks the user with a form and returns the submitted values, if any."""
    params = {"message": question, "requestedSchema": schema}
    send({"id": "question", "method": "elicitation/create", "params": params})
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("id") == "question" and "method" not in message:
            return message["result"].get("content")


def said(text, **more):
    return {"content": [{"type": "text", "text": text}], **more}


def search_books(title):
    found = [{"title": book, "pages": pages} for book, pages in BOOKS.items() if title.lower() in book.lower()]
    return said(f"{len(found)} found", structuredContent={"books": found})


def reserve_book(title):
    if title not in BOOKS:
        return said(f"There is no book {title}.", isError=True)
    reader = ask("Who is it for?", READER)
    return said(f"{title} is kept for {reader['name']}." if reader else "Nothing was reserved.")


def answer(method, params):
    match method:
        case "initialize":
            capabilities = {"tools": {}, "resources": {}}
            info = {"name": "library", "version": "1.0.0"}
            return {"protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": info}
        case "tools/list":
            return {"tools": TOOLS}
        case "tools/call" if params["name"] in ("search_books", "reserve_book"):
            return globals()[params["name"]](**params["arguments"])
        case "resources/list":
            return {"resources": [{"uri": "note://hours", "name": "hours"}]}
        case "resources/read" if params["uri"] == "note://hours":
            return {"contents": [{"uri": "note://hours", "text": "Open from 9 to 5."}]}


for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    result = answer(request["method"], request.get("params", {}))
    if result is None:
        send({"id": request["id"], "error": {"code": -32601, "message": f"there is no {request['method']} like this"}})
    else:
        send({"id": request["id"], "result": result})
