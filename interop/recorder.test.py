"""The recorder with real clients: part of the tables of `recorder`, and the effect on the user's own settings."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

from harness import FOLDER, main

sys.path.insert(0, str(FOLDER / "recorder"))

import misses  # noqa: E402 - they are in another folder
from bench import KEYS, World, agentci, environment, fresh_folder, record, replay, secrets_in, tally  # noqa: E402
from clients import ALL, MAIN, MAIN_PYTHON, NODE, NODES, PYTHONS, QUICK, Client, python  # noqa: E402
from matrix import fares  # noqa: E402

ANTHROPIC = python("anthropic", "anthropic", program=MAIN_PYTHON)
OPENAI = python("openai", "openai", program=MAIN_PYTHON)


def test_clients_are_recorded_and_replayed(_):
    with ThreadPoolExecutor(2) as pool:
        rows = list(pool.map(fares, QUICK))
    print("\n".join(row.line for row in rows))
    assert not [row.problems for row in rows if row.problems], rows


def test_guide_lists_tested_versions(_):
    guide = (FOLDER.parent / "docs" / "guides" / "record-your-agent.md").read_text()
    for runtime, tested in (("Python", PYTHONS), ("Node.js", [version.split(".")[0] for version in NODES])):
        promised = re.search(rf"^\| {runtime} \| ([\d., ]+) \|$", guide, re.MULTILINE).group(1).split(", ")
        assert promised == list(tested), (promised, tested)


def test_changed_prompt_is_a_replay_miss_in_every_client(_):
    with ThreadPoolExecutor(2) as pool:
        rows = list(pool.map(misses.missed, [client for client in ALL if client.name in misses.QUICK]))
    print("\n".join(row.line for row in rows))
    assert len(rows) == len(misses.QUICK)
    assert not [row.problems for row in rows if row.problems], rows


def both(client, **variables):
    """Records a client and replays it, with these variables in both."""
    with fresh_folder(client.modules) as work:
        with World(0) as world:
            recorded = record(client, world, work, **variables)
            requests = world.requests()
        assert recorded.code == 0, recorded
        recording = work / "recording.jsonl"
        assert secrets_in(recording) == []
        replayed, visits = replay(client, recording, **variables)
    assert replayed.code == 0 and not visits, f"{visits} {replayed}"
    answered, asked = tally(replayed)
    assert answered == asked > 0, replayed
    return recorded, replayed, requests


def test_retries_are_replayed(_):
    recorded, replayed, requests = both(ANTHROPIC, QUESTION="Are you busy?")
    assert replayed.stdout == recorded.stdout
    # Every model request was sent twice, the weather request once.
    assert len(requests) == 2 * 4 + 1, [request["path"] for request in requests]


def test_compressed_responses_are_replayed(_):
    recorded, replayed, _ = both(OPENAI, QUESTION="Is this zipped?")
    assert replayed.stdout == recorded.stdout


def test_api_key_repeated_by_model_is_not_recorded(_):
    recorded, replayed, _ = both(OPENAI, QUESTION="What is my key?")
    key = KEYS["OPENAI_API_KEY"]
    assert recorded.stdout.count(key) >= 3, recorded
    assert key not in replayed.stdout + replayed.stderr + recorded.stderr
    # Everything else is replayed.
    assert len(replayed.stdout.splitlines()) == len(recorded.stdout.splitlines()), replayed


# -- A user's own settings


def test_user_node_hook_still_runs(_):
    with fresh_folder() as own:
        (own / "own hook.cjs").write_text("globalThis.own = 'own hook';")
        script = "fetch('https://api.weather.example/weather?city=Rome').then((r) => r.text()).then((t) => console.log(own, t))"
        client = Client("node", (str(NODE), "-e", script))
        recorded, replayed, _ = both(client, NODE_OPTIONS=f'--require "{own}/own hook.cjs" --no-warnings')
    assert recorded.stdout.startswith("own hook {") and replayed.stdout == recorded.stdout, recorded


def test_user_modules_and_sitecustomize_still_load(_):
    with fresh_folder() as own:
        (own / "sitecustomize.py").write_text("import builtins\nbuiltins.OWN = 'own sitecustomize'\n")
        (own / "own_module.py").write_text("NAME = 'own module'\n")
        script = (
            "import own_module, urllib.request as r;"
            "print(OWN, own_module.NAME, r.urlopen('https://api.weather.example/weather?city=Rome').read())"
        )
        client = Client("python", (str(MAIN_PYTHON), "-c", script))
        recorded, replayed, _ = both(client, PYTHONPATH=str(own))
    assert recorded.stdout.startswith("own sitecustomize own module b'"), recorded
    assert replayed.stdout == recorded.stdout


def test_user_base_url_is_respected(_):
    with fresh_folder() as work, World(0) as beside:
        with World(0) as world:
            client = python("client", "openai", program=MAIN_PYTHON)
            # A gateway on this machine, which is reached without a proxy.
            recorded = record(client, world, work, OPENAI_BASE_URL=beside.proxy + "/gateway/v1")
            hosts = {request["host"] for request in world.requests()}
        assert recorded.code == 0, recorded
        asked = [request["path"] for request in beside.requests()]
        assert asked and all(path.startswith("/gateway/v1/") for path in asked), asked
        assert hosts == {"api.weather.example"}, hosts
        replayed, visits = replay(client, work / "recording.jsonl", OPENAI_BASE_URL=beside.proxy + "/gateway/v1")
        assert len(beside.requests()) == len(asked), "the replay asked the gateway"
    assert (replayed.code, replayed.stdout, visits) == (0, recorded.stdout, []), replayed


# -- What cannot be recorded


def test_client_bypassing_recorder_is_reported(_):
    """`python -I` ignores hooks and modules of the environment, and `http.client` ignores proxy variables."""
    script = (
        "import http.client, sys, time; c = http.client.HTTPConnection(sys.argv[1], timeout=10);"
        "c.request('GET', '/weather?city=Rome'); print(c.getresponse().read()); time.sleep(2)"
    )
    with fresh_folder() as work, World(0) as world:
        address = world.proxy.removeprefix("http://")
        client = Client("python -I", (str(MAIN_PYTHON), "-I", "-c", script, address))
        recorded = record(client, world, work)
        assert recorded.code == 1, recorded
        assert "python" in recorded.stderr and address in recorded.stderr, recorded
        assert "nothing was recorded" in recorded.stderr, recorded
        assert not (work / "recording.jsonl").exists()


def by_socket(name):
    client = Client("ws", (str(NODE), "client_agent.mjs", name), modules=MAIN)
    with fresh_folder(MAIN) as work, World(0) as world:
        recorded = record(client, world, work)
        asked = [request["path"] for request in world.requests()]
    assert recorded.code == 1 and "nothing was recorded" in recorded.stderr, recorded
    return recorded, asked


def test_websocket_is_forwarded_and_reported(_):
    recorded, asked = by_socket("ws")
    assert recorded.stdout == "Answer of a WebSocket\n" and len(asked) == 1, recorded
    assert "WebSocket" in recorded.stderr and "api.openai.com/v1/realtime" in recorded.stderr, recorded


def test_responses_websocket_is_refused_so_clients_fall_back(_):
    recorded, asked = by_socket("ws-responses")
    assert recorded.stdout == "refused with 426\n" and asked == [], recorded


# -- Containers


def test_containerized_agent_is_recorded_and_replayed(_):
    """Runs the commands of `examples/recorded/compose.yaml` with a `docker` that starts no container."""
    with fresh_folder() as work:
        shutil.copytree(FOLDER.parent / "examples" / "recorded", work, dirs_exist_ok=True)
        shown = re.findall(r"^#     agentci (.*)", (work / "compose.yaml").read_text(), re.MULTILINE)
        record_it, replay_it = (shlex.split(line.replace("0.0.0.0", "127.0.0.1")) for line in shown)
        (work / "bin").mkdir()
        docker = work / "bin" / "docker"
        docker.write_text(f'#!/bin/sh\nexec {sys.executable} {FOLDER / "recorder" / "docker.py"} "$@"\n')
        docker.chmod(0o755)
        path = {"PATH": f"{work / 'bin'}:{os.environ['PATH']}"}
        with World(0) as world:
            recorded = agentci(work, environment(work, world.environment, KEYS, path), *record_it)
            assert [request["host"] for request in world.requests()] == ["api.openai.com"], recorded
        assert recorded.code == 0 and "When are you open?" in recorded.stdout, recorded
        assert secrets_in(work / "recordings" / "agent.jsonl") == []
        # The file with the container's variables is in a shared folder.
        assert secrets_in(work / "shared" / "agent.env") == []
        replayed = agentci(work, environment(work, path), *replay_it)
        assert (replayed.code, replayed.stdout) == (0, recorded.stdout), replayed


# -- Another folder and another day


def dated(*before, **variables):
    """Records an agent that sends the current date, and replays it in another folder."""
    client = python("dated", "dated", program=MAIN_PYTHON)
    with fresh_folder() as work:
        with World(0) as world:
            recorded = record(client, world, work)
        assert recorded.code == 0, recorded
        replayed, visits = replay(client, work / "recording.jsonl", before=before, **variables)
    assert not visits, visits
    return recorded, replayed


def test_replay_tolerates_different_ids_and_folders(_):
    recorded, replayed = dated()
    assert (replayed.code, replayed.stdout) == (0, recorded.stdout), replayed


def test_replay_tolerates_different_current_date(_):
    recorded, replayed = dated("faketime", "-f", "+1d")
    assert (replayed.code, replayed.stdout) == (0, recorded.stdout), replayed


def test_replay_reports_changed_fixed_date(_):
    _, replayed = dated(DEADLINE="2031-04-06", SWALLOW="1")
    assert replayed.code == 1 and "replay_miss" in replayed.stderr, replayed
    assert "2031-04-05" in replayed.stderr and "2031-04-06" in replayed.stderr, replayed


# -- Verdicts


def verdicts(*arguments):
    command = [sys.executable, FOLDER / "recorder" / "verdicts.py", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr


def test_broken_agents_fail_with_recordings(_):
    some = "unbroken,argument-changed,prompt-inverted,results-swapped,history-lost,asked-twice"
    verdicts("mutations", "--agents", "openai-node", "--mutations", some)


def test_stub_tools_are_checked_alongside_recorded_model(_):
    verdicts("mutations", "--agents", "http-agent", "--mutations", "unbroken,faked,executed-twice")


def test_honest_agents_pass_with_recordings(_):
    verdicts("honest", "--agents", "retries/openai-sdk-node,cancelled_stream/openai-sdk,two_models/ai-sdk", "--runs", "2")


# -- Conversations


def test_recording_of_fifty_turns_stays_small(_):
    done = subprocess.run(
        [sys.executable, FOLDER / "recorder" / "cost.py", "--only", "size"], capture_output=True, text=True, timeout=300
    )
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr


if __name__ == "__main__":
    main(globals(), nullcontext)
