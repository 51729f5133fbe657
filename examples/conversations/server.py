"""A tea shop that speaks AG-UI, with the standard library only. It has no model; it reacts to words in the customer's message.

    python3 server.py [PORT]

`POST /` starts an AG-UI run and streams its events. `POST /baskets` creates a basket and returns its name.
"""

import itertools
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PRICES = {"green tea": 7, "black tea": 6, "cup": 12}
DELIVERIES = {"bicycle": 3, "post": 5}
baskets = {}
numbers = itertools.count(1)


class Agent:
    """One run: reads the input and sends events."""

    def __init__(self, given, send):
        self.given = given
        self.send = send

    def run(self):
        ids = {"threadId": self.given["threadId"], "runId": self.given["runId"]}
        self.send({"type": "RUN_STARTED", "protocolVersion": "1.0", **ids})
        pending = self.answer()
        outcome = {"type": "success"}
        if pending:
            outcome["pendingToolCallIds"] = [pending]
        self.send({"type": "RUN_FINISHED", "outcome": outcome, **ids})

    def answer(self):
        """Continues the conversation. Returns the call that the client has to answer, if any."""
        last = self.given["messages"][-1]
        if last["role"] == "tool":
            return self.charge(json.loads(last["content"]))
        words = last["content"].lower()
        if "card" in words:
            return self.ask("ask_customer", {"question": f"Pay {self.total()} euros?"})
        if any(delivery in words for delivery in DELIVERIES):
            return self.add_up(next(delivery for delivery in DELIVERIES if delivery in words))
        return self.check_basket()

    def check_basket(self):
        items = baskets.get(self.basket(), [])
        sold_out = [item for item in items if item not in PRICES]
        self.call("check_basket", {"basket": self.basket()}, {"items": items, "sold_out": sold_out})
        if sold_out:
            self.say(f"I am sorry, {', '.join(sold_out)} is sold out.")
        else:
            self.call("list_deliveries", {"items": len(items)}, {"deliveries": list(DELIVERIES)})
            self.say(f"{len(items)} things, all here. By {' or by '.join(DELIVERIES)}?")

    def add_up(self, delivery):
        total = self.total(delivery)
        self.call("add_up", {"basket": self.basket(), "delivery": delivery}, {"total": total, "currency": "EUR"})
        self.say(f"That is {total} euros by {delivery}.")

    def charge(self, reply):
        if reply.get("agreed"):
            self.call("charge_card", {"amount": self.total()}, {"status": "paid", "receipt": f"r-{self.basket()}"})
            self.say("Paid, thank you. Your tea is on its way.")
        else:
            self.say("Then I leave the basket as it is.")

    def basket(self):
        """Finds the basket that the customer named, anywhere in the conversation."""
        said = " ".join(message["content"] for message in self.given["messages"] if message["role"] == "user")
        return next((word for word in said.split() if word in baskets), "none")

    def total(self, delivery=None):
        said = " ".join(message["content"].lower() for message in self.given["messages"] if message["role"] == "user")
        chosen = delivery or next((name for name in DELIVERIES if name in said), "post")
        return sum(PRICES.get(item, 0) for item in baskets.get(self.basket(), [])) + DELIVERIES[chosen]

    def say(self, text):
        message = f"message-{next(numbers)}"
        self.send({"type": "TEXT_MESSAGE_START", "messageId": message, "role": "assistant"})
        for word in text.split(" "):
            self.send({"type": "TEXT_MESSAGE_CONTENT", "messageId": message, "delta": word + " "})
        self.send({"type": "TEXT_MESSAGE_END", "messageId": message})

    def ask(self, name, arguments):
        call = f"call-{next(numbers)}"
        self.send({"type": "TOOL_CALL_START", "toolCallId": call, "toolCallName": name})
        self.send({"type": "TOOL_CALL_ARGS", "toolCallId": call, "delta": json.dumps(arguments)})
        self.send({"type": "TOOL_CALL_END", "toolCallId": call})
        return call

    def call(self, name, arguments, result):
        """Calls a tool of the shop; its result is part of the same run."""
        call = self.ask(name, arguments)
        answer = {"messageId": f"result-{next(numbers)}", "toolCallId": call, "content": json.dumps(result)}
        self.send({"type": "TOOL_CALL_RESULT", "role": "tool", **answer})


class Shop(BaseHTTPRequestHandler):
    def do_POST(self):
        given = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        if self.path == "/baskets":
            name = f"basket-{next(numbers)}"
            baskets[name] = given["items"]
            return self.reply(200, {"basket": name})
        missing = [field for field in ("threadId", "runId", "messages") if field not in given]
        if missing:
            return self.reply(422, {"error": f"missing: {', '.join(missing)}"})
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        Agent(given, lambda event: self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())).run()

    def reply(self, status, body):
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8123
    server = ThreadingHTTPServer(("127.0.0.1", port), Shop)
    print(f"the shop is open at http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()
