"""The transport of a run: every valid form is accepted, and every invalid form is reported."""

import socket
import re
import sys
import time
from contextlib import nullcontext

from conversation import Suite, run, turns
from harness import FOLDER, Agent, main

# The exact content of the sample in `agui/streams.py`.
WHOLE = turns(
    "hello",
    asserts="""
    tools:
      require:
        - name: look_up
          count: { exact: 1 }
          args_match: { city: "^Zürich$" }
          result_match: "Zürich ✓"
    text:
      must_match: '^Grüße aus Zürich, 🎈 und 日本語\\.$'
      must_not_match: secret
    """,
)
FOUND = "tools: { require: [{ name: look_up, args_match: { city: ^Paris$ }, result_match: found }] }"


def holds(agent, path, asserts, target=""):
    return run(f"{agent.url}/{path}", turns("hello", asserts=asserts), target).passed()


def breaks(agent, path, *patterns, target=""):
    return run(f"{agent.url}/{path}", turns("hello"), target).failed(*patterns)


def test_line_ends(agent):
    run(f"{agent.url}/crlf", WHOLE).passed()
    run(f"{agent.url}/cr", WHOLE).passed()


def test_bytes_in_pieces(agent):
    run(f"{agent.url}/split", WHOLE).passed()


def test_everything_else_the_format_allows(agent):
    run(f"{agent.url}/dressed", WHOLE).passed()


def test_a_last_event_without_an_empty_line(agent):
    run(f"{agent.url}/unclosed", WHOLE).passed()


def test_an_unknown_event_is_passed_over(agent):
    run(f"{agent.url}/unknown", WHOLE).passed()


def test_thoughts_of_older_servers(agent):
    run(f"{agent.url}/thinking", WHOLE).passed()


def test_the_typescript_encoder(_):
    with Agent("node", FOLDER / "agui" / "server.mjs") as node:
        said = "text: { must_match: '^As text/event-stream\\.$' }"
        run(node.url, turns("hello", asserts=f"{FOUND}\n{said}")).passed()


def test_an_error_of_the_run(agent):
    breaks(agent, "error", "the model is overloaded")


def test_a_body_that_ends_too_early(agent):
    breaks(agent, "truncated", r"(?i)RUN_FINISHED|truncated|ended")


def test_a_body_with_nothing_in_it(agent):
    breaks(agent, "silent", r"(?i)no event|nothing|empty|RUN_FINISHED|ended")


def test_a_run_that_hangs(agent):
    started = time.monotonic()
    breaks(agent, "hangs", r"(?i)time", r"700|0\.7", target="timeout_ms: 700")
    assert time.monotonic() - started < 10


def test_a_connection_that_breaks(agent):
    breaks(agent, "cut", r"(?i)connection|body|stream|transport")
    run(agent.addresses["reset_url"], turns("hello")).failed(r"(?i)connection|body|stream|transport")


def test_a_server_that_is_not_there(_):
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    run(f"http://127.0.0.1:{port}/agent", turns("hello")).failed(r"(?i)connect|reach|refused", rf"127\.0\.0\.1:{port}")


def test_what_is_not_an_event(agent):
    breaks(agent, "badjson", "JSON")
    breaks(agent, "badfield", "delta")


def test_other_answers(agent):
    breaks(agent, "http500", "500", "the database is on fire")
    breaks(agent, "http404", "404", "no such agent")
    breaks(agent, "http401", "401", "no valid token")
    breaks(agent, "notsse", r"application/json|text/event-stream")
    breaks(agent, "html", r"text/html|text/event-stream")


def test_chunks(agent):
    holds(agent, "chunked", f"{FOUND}\ntext: {{ must_match: '^Let me see\\. Found it\\.$' }}")


def test_thoughts_are_not_said(agent):
    holds(agent, "reasoning", "text: { must_match: '^The answer is 4\\.$', must_not_match: secret }")


def test_events_that_are_no_business_of_a_test(agent):
    holds(agent, "asides", "text: { must_match: '^Planned\\.$' }\ntools: { require: [{ name: plan, count: { exact: 0 } }] }")


def test_helpers_of_the_agent(agent):
    asserts = "tools: { require: [{ name: search_web, result_match: 3 pages }] }\ntext: { must_match: From the agent }"
    holds(agent, "subagents", asserts)


def test_results_in_parts(agent):
    holds(agent, "parts", "tools: { require: [{ name: look_up, result_match: 'page one[^?]*page two' }] }")


def test_other_scripts(agent):
    asserts = """
    tools:
      require:
        - name: grüße
          args_match: { name: ^Ærøskøbing$, emoji: 👩‍👩‍👧 }
          result_match: 日本語 ✓
    text:
      must_match: ["^Zażółć gęślą jaźń", "👩‍👩‍👧", "end$"]
    """
    holds(agent, "unicode", asserts)


def test_a_large_result(agent):
    holds(agent, "big", "tools: { require: [{ name: export, result_match: 'x the end$' }] }")


def test_arguments(agent):
    asserts = """
    tools:
      require:
        - name: nested
          args_match: { user.tags.1: ^vip$, user.age: ^41$, none: ^null$ }
        - name: empty
        - name: broken
      forbid_calls:
        - name: nested
          args_match: { user.name: . }
        - name: empty
          args_match: { city: . }
    """
    holds(agent, "arguments", asserts)
    wrong = "tools: { require: [{ name: nested, args_match: { user.age: ^42$ } }] }"
    run(f"{agent.url}/arguments", turns("hello", asserts=wrong)).failed("nested", "user.age", "41", at="nested")


def test_rules_that_are_broken(agent):
    asserts = "tools: { require: [{ name: look_up }] }\ntext: { must_match: done }"
    holds(agent, "violations", asserts)
    holds(agent, "violations", asserts, target="protocol: warn")
    holds(agent, "violations", asserts, target="protocol: off")
    strict = breaks(agent, "violations", r"(?i)protocol", target="protocol: fail")
    strict.without("look_up")
    # Valid runs still pass.
    holds(agent, "parallel", "text: { must_match: done }", target="protocol: fail")
    holds(agent, "chunked", "text: { must_match: Found }", target="protocol: fail")


def test_what_it_cost_is_kept(agent):
    with Suite(f"{agent.url}/usage", turns("hello")) as suite:
        suite.run().passed()
        kept = suite.artifacts()
        assert re.search(r'"tokens_in": ?120\b', kept) and re.search(r'"tokens_out": ?30\b', kept), kept


with Agent(sys.executable, FOLDER / "agui" / "server.py") as agent:
    main(globals(), lambda: nullcontext(agent))
