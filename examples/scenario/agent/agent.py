"""A small payroll assistant: it calls its tools over HTTP and streams its answer as server-sent events.

It recognises a few questions by their words. A real agent has a model in place of `answer`; the rest stays the same: how it is
called, where its tools are, and how it answers.

    PORT                    the port to listen on [default: 8081]
    HOST                    the address to listen on [default: 127.0.0.1]
    PAY_DETAILS_API_BASE    base URL of the tools for pay slips and deductions
    US_PAYROLL_API_BASE     base URL of the tool for overtime
    UK_PAYROLL_API_BASE     base URL of the tool for tax codes
"""

import json
import os
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Tools:
    """The tools. Their base URLs come from the request if it has them (for parallel questions), else from the environment."""

    def __init__(self, variables):
        self.variables = variables

    def url(self, base, tool):
        return f"{self.variables.get(base) or os.environ[base]}/{tool}"

    def post(self, base, tool, body):
        request = urllib.request.Request(
            self.url(base, tool), json.dumps(body).encode(), {"content-type": "application/json"}
        )
        return self.read(request)

    def get(self, base, tool, **query):
        return self.read(f"{self.url(base, tool)}?{urllib.parse.urlencode(query)}")

    @staticmethod
    def read(request):
        with urllib.request.urlopen(request, timeout=20) as response:
            return json.load(response)


def dollars(amount):
    return f"{amount:,} dollars"


def less_money(tools, variables):
    region, ids = variables["region"], [variables["currentPayDetailsId"], variables["previousPayDetailsId"]]
    slips = [
        tools.post("PAY_DETAILS_API_BASE", "paySlips", {"payDetailsIds": [one], "region": region})
        for one in ids
    ]
    summary = tools.post("PAY_DETAILS_API_BASE", "paySlipsSummary", {"payDetailsIds": ids, "region": region})
    payment = summary["oneTimePayments"][0]
    assert slips[1]["bonus"] == payment["amount"], "the tools contradict each other"
    return (
        f"Last month you were paid a one-time {payment['kind']} of {dollars(payment['amount'])}. "
        f"It was taxed at the supplemental federal rate of {payment['supplementalRate']:.0%}, "
        "and without it your net pay this month is lower."
    )


def overtime(tools, variables):
    paid = tools.get("US_PAYROLL_API_BASE", "overtime", payDetailsId=variables["currentPayDetailsId"])
    return (
        f"Your {paid['hours']} overtime hours were paid at {paid['factor']} times the hourly rate of "
        f"{dollars(paid['hourlyRate'])}, so {dollars(paid['amount'])} in all."
    )


def health_insurance(tools, variables):
    body = {"employeeId": variables["employeeId"], "kind": "health"}
    taken = tools.post("PAY_DETAILS_API_BASE", "deductions", body)
    return (
        f"The amount deducted for your health insurance is {dollars(taken['now'])} now: "
        f"it rose in {taken['since']}, when your {taken['reason'].replace(' added', ' was added')}."
    )


def tax(tools, variables):
    code = tools.post("UK_PAYROLL_API_BASE", "taxCode", {"employeeId": variables["employeeId"]})
    return (
        f"Your tax code is {code['code']}, which means that you have no personal allowance: "
        f"everything you earned was taxed at the basic income tax rate of {code['rate']:.0%}."
    )


KNOWN = {"less money": less_money, "overtime": overtime, "health insurance": health_insurance, "tax": tax}


def answer(question, variables):
    for words, skill in KNOWN.items():
        if words in question.lower():
            return skill(Tools(variables), variables)
    return "I do not know. Please ask your payroll team."


class Agent(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        try:
            for word in answer(asked["user_input"], asked.get("variables", {})).split(" "):
                self.send_event({"token": word + " "})
        except (KeyError, AssertionError, urllib.error.URLError) as error:
            self.send_event({"error": f"a tool failed: {error}"}, event="error")
        self.wfile.write(b"data: [DONE]\n\n")

    def send_event(self, data, event=None):
        name = f"event: {event}\n" if event else ""
        self.wfile.write(f"{name}data: {json.dumps(data)}\n\n".encode())
        self.wfile.flush()

    def log_message(self, *_):
        """Logs nothing: every line would end up in the reports."""


if __name__ == "__main__":
    address = os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8081"))
    ThreadingHTTPServer(address, Agent).serve_forever()
