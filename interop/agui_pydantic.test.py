"""A pydantic-ai agent: server-side and client-side tools, approval, history, errors."""

import sys
from contextlib import nullcontext

from conversation import run, turns
from harness import FOLDER, Agent, main

STRICT = "protocol: fail\n"
TOOL = """\
tools:
  - name: confirm_payment
    description: Asks the customer
    parameters: { type: object, properties: { amount: { type: number } }, required: [amount] }
    reply: { confirmed: true }
"""


def test_server_tool(agent):
    asserts = """
    tools:
      require:
        - name: get_weather
          count: { exact: 1 }
          args_match: { city: ^Paris$, days: ^2$ }
          result_match: rain
      forbid: [refund]
    text: { must_match: '^One moment\\. The tools said: get_weather .*rain' }
    """
    run(agent.url, turns("the weather?", asserts=asserts), STRICT).passed()
    wrong = "tools: { require: [{ name: get_weather, result_match: sun }] }"
    run(agent.url, turns("the weather?", asserts=wrong)).failed("get_weather", "sun", at="get_weather")


def test_client_tool(agent):
    asserts = """
    tools:
      require:
        - { name: confirm_payment, count: { exact: 1 }, args_match: { amount: ^42\\.5$ }, result_match: confirmed }
    text: { must_match: 'The tools said: confirm_payment .*"confirmed": ?true' }
    """
    run(agent.url, turns("I pay", asserts=asserts), STRICT + TOOL).passed()


def test_server_and_client_tools_in_one_turn(agent):
    asserts = """
    tools:
      require:
        - { name: get_weather, result_match: rain }
        - { name: confirm_payment, result_match: confirmed }
    text: { must_match: ['get_weather .*rain', 'confirm_payment .*true'] }
    """
    run(agent.url, turns("both, please", asserts=asserts), STRICT + TOOL).passed()


def test_history_is_sent_with_each_turn(agent):
    said = "text: { must_match: \"You said 3 things, first 'hello', and I answered [34] times\" }"
    run(agent.url, turns("hello", "the weather?", "and now?", asserts=said), STRICT).passed()


def test_approval_can_be_granted_or_denied(agent):
    approve = "  - type: agui:resume\n    payload: { approved: true }\n    assert: { text: { must_match: refunded 20 } }\n"
    run(agent.url, turns("a refund") + approve, STRICT).passed()
    deny = "  - type: agui:resume\n    payload: { approved: false }\n    assert: { text: { must_not_match: refunded 20 } }\n"
    run(agent.url, turns("a refund") + deny, STRICT).passed()


def test_agent_error_is_reported(agent):
    run(agent.url, turns("fail, please")).failed("the model is gone")


with Agent(sys.executable, FOLDER / "agui" / "pydantic_server.py") as agent:
    main(globals(), lambda: nullcontext(agent))
