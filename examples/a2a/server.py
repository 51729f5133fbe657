"""A travel agent that speaks A2A 1.0, with the standard library only. It has no model; it reacts to words in the user's message.

    python3 server.py [PORT]

Its card is at `/.well-known/agent-card.json`. It accepts JSON-RPC at `/`, streaming or not.
"""

import itertools
import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PRICES = {"Rome": 120, "Oslo": 210, "Lisbon": 95}
numbers = itertools.count(1)
tasks = {}


class Task:
    """A trip that is being booked."""

    def __init__(self, context):
        self.id = f"task-{next(numbers)}"
        self.context = context
        self.city = None
        self.state = "TASK_STATE_SUBMITTED"
        self.words = None
        self.artifacts = []

    def snapshot(self):
        return {"id": self.id, "contextId": self.context, "status": self.status(), "artifacts": self.artifacts}

    def status(self):
        return {"state": self.state, **({"message": spoken(self.words, self.context)} if self.words else {})}

    def update(self, state, words=None):
        self.state, self.words = state, words
        return {"statusUpdate": {"taskId": self.id, "contextId": self.context, "status": self.status()}}

    def make(self, name, *parts):
        artifact = {"artifactId": f"{self.id}-{name}", "name": name, "parts": list(parts)}
        self.artifacts.append(artifact)
        return {"artifactUpdate": {"taskId": self.id, "contextId": self.context, "artifact": artifact, "lastChunk": True}}


def spoken(words, context):
    message = {"messageId": f"message-{next(numbers)}", "contextId": context, "role": "ROLE_AGENT"}
    return {**message, "parts": [{"text": words}]}


def answer(message):
    """Continues the conversation and yields one stream item at a time."""
    words = " ".join(part.get("text", "") for part in message["parts"])
    context = message.get("contextId") or f"context-{next(numbers)}"
    task = tasks.get(message.get("taskId"))
    if task is None and "book" not in words.lower():
        offers = ", ".join(f"{city} for {price} euros" for city, price in PRICES.items())
        yield {"message": spoken(f"I can offer {offers}.", context)}
        return
    if task is None:
        task = Task(context)
        tasks[task.id] = task
        yield {"task": task.snapshot()}
    yield task.update("TASK_STATE_WORKING", "looking at the timetable")
    task.city = task.city or next((city for city in PRICES if city.lower() in words.lower()), None)
    if task.city is None:
        yield task.update("TASK_STATE_INPUT_REQUIRED", "Where would you like to go?")
    else:
        day = re.search(r"\b(mon|tues|wednes|thurs|fri|satur|sun)day\b", words, re.IGNORECASE)
        yield task.make("itinerary", {"text": f"Train to {task.city}"}, {"text": f", on {day[0] if day else 'any day'}."})
        yield task.make("invoice", {"data": {"city": task.city, "total": PRICES[task.city], "currency": "EUR"}})
        yield task.update("TASK_STATE_COMPLETED")


class Server(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        url = f"http://{self.headers['host']}/"
        interface = {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        capabilities = {"streaming": True}
        self.reply({"name": "travel agent", "supportedInterfaces": [interface], "capabilities": capabilities})

    def do_POST(self):
        call = json.loads(self.rfile.read(int(self.headers["content-length"])))
        envelope = {"jsonrpc": "2.0", "id": call["id"]}
        method, params = call["method"], call["params"]
        if method == "SendStreamingMessage":
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            for item in answer(params["message"]):
                self.wfile.write(f"data: {json.dumps({**envelope, 'result': item})}\n\n".encode())
                self.wfile.flush()
            self.close_connection = True
        elif method == "SendMessage":
            items = list(answer(params["message"]))
            task = next((tasks[item["statusUpdate"]["taskId"]] for item in items if "statusUpdate" in item), None)
            self.reply({**envelope, "result": {"task": task.snapshot()} if task else items[-1]})
        elif method == "GetTask" and params["id"] in tasks:
            self.reply({**envelope, "result": tasks[params["id"]].snapshot()})
        else:
            self.reply({**envelope, "error": {"code": -32601, "message": "Method not found"}})

    def reply(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8124), Server)
    print(f"the travel agent is at http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()
