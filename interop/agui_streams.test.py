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


def test_all_line_endings(agent):
    run(f"{agent.url}/crlf", WHOLE).passed()
    run(f"{agent.url}/cr", WHOLE).passed()


def test_split_chunks(agent):
    run(f"{agent.url}/split", WHOLE).passed()


def test_optional_sse_features(agent):
    run(f"{agent.url}/dressed", WHOLE).passed()


def test_last_event_without_blank_line(agent):
    run(f"{agent.url}/unclosed", WHOLE).passed()


def test_unknown_event_is_ignored(agent):
    run(f"{agent.url}/unknown", WHOLE).passed()


def test_legacy_thinking_events(agent):
    run(f"{agent.url}/thinking", WHOLE).passed()


def test_typescript_encoder(_):
    with Agent("node", FOLDER / "agui" / "server.mjs") as node:
        said = "text: { must_match: '^As text/event-stream\\.$' }"
        run(node.url, turns("hello", asserts=f"{FOUND}\n{said}")).passed()


def test_run_error_is_reported(agent):
    breaks(agent, "error", "the model is overloaded")


def test_truncated_body_is_reported(agent):
    breaks(agent, "truncated", r"(?i)RUN_FINISHED|truncated|ended")


def test_empty_body_is_reported(agent):
    breaks(agent, "silent", r"(?i)no event|nothing|empty|RUN_FINISHED|ended")


def test_hanging_run_times_out(agent):
    started = time.monotonic()
    breaks(agent, "hangs", r"(?i)time", r"700|0\.7", target="timeout_ms: 700")
    assert time.monotonic() - started < 10


def test_broken_connection_is_reported(agent):
    breaks(agent, "cut", r"(?i)connection|body|stream|transport")
    run(agent.addresses["reset_url"], turns("hello")).failed(r"(?i)connection|body|stream|transport")


def test_unreachable_server_is_reported(_):
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    run(f"http://127.0.0.1:{port}/agent", turns("hello")).failed(r"(?i)connect|reach|refused", rf"127\.0\.0\.1:{port}")


def test_invalid_events_are_reported(agent):
    breaks(agent, "badjson", "JSON")
    breaks(agent, "badfield", "delta")


def test_unexpected_http_responses_are_reported(agent):
    breaks(agent, "http500", "500", "the database is on fire")
    breaks(agent, "http404", "404", "no such agent")
    breaks(agent, "http401", "401", "no valid token")
    breaks(agent, "notsse", r"application/json|text/event-stream")
    breaks(agent, "html", r"text/html|text/event-stream")


def test_chunk_events_are_joined(agent):
    holds(agent, "chunked", f"{FOUND}\ntext: {{ must_match: '^Let me see\\. Found it\\.$' }}")


def test_reasoning_is_not_part_of_answer(agent):
    holds(agent, "reasoning", "text: { must_match: '^The answer is 4\\.$', must_not_match: secret }")


def test_unrelated_events_are_ignored(agent):
    holds(agent, "asides", "text: { must_match: '^Planned\\.$' }\ntools: { require: [{ name: plan, count: { exact: 0 } }] }")


def test_subagents(agent):
    asserts = "tools: { require: [{ name: search_web, result_match: 3 pages }] }\ntext: { must_match: From the agent }"
    holds(agent, "subagents", asserts)


def test_tool_results_in_parts(agent):
    holds(agent, "parts", "tools: { require: [{ name: look_up, result_match: 'page one[^?]*page two' }] }")


def test_non_latin_text(agent):
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


def test_large_tool_result(agent):
    holds(agent, "big", "tools: { require: [{ name: export, result_match: 'x the end$' }] }")


def test_matches_tool_arguments(agent):
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


def test_protocol_violations_fail_only_in_strict_mode(agent):
    asserts = "tools: { require: [{ name: look_up }] }\ntext: { must_match: done }"
    holds(agent, "violations", asserts)
    holds(agent, "violations", asserts, target="protocol: warn")
    holds(agent, "violations", asserts, target="protocol: off")
    strict = breaks(agent, "violations", r"(?i)protocol", target="protocol: fail")
    strict.without("look_up")
    # Valid runs still pass.
    holds(agent, "parallel", "text: { must_match: done }", target="protocol: fail")
    holds(agent, "chunked", "text: { must_match: Found }", target="protocol: fail")


def test_token_usage_is_recorded(agent):
    with Suite(f"{agent.url}/usage", turns("hello")) as suite:
        suite.run().passed()
        kept = suite.artifacts()
        assert re.search(r'"tokens_in": ?120\b', kept) and re.search(r'"tokens_out": ?30\b', kept), kept


with Agent(sys.executable, FOLDER / "agui" / "server.py") as agent:
    main(globals(), lambda: nullcontext(agent))
