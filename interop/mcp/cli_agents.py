"""Records Claude Code and Codex, unchanged, with an MCP server, and replays them after the server's program is deleted.

    AGENTCI=target/debug/agentci cli_agents.py

Both are installed at pinned versions into target/interop-cli-agents. Their model is scripted, served by `agentci serve llm`.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
AGENTCI = os.path.abspath(os.environ["AGENTCI"])
HOME = HERE.parent.parent / "target" / "interop-cli-agents"
PACKAGES = ["@anthropic-ai/claude-code@2.1.197", "@openai/codex@0.166.0"]
QUESTION = "Look up order A-17"

MODEL = """
strict: false
rules:
  - when: { tool_result: true }
    reply: The order is shipped.
  - when: { tools: mcp__shop__get_order }
    tool_calls: [{ name: mcp__shop__get_order, args: { order: A-17 } }]
  - when: { messages: { regex: "." } }
    reply: The order is shipped.
"""
CODEX = """
model = "gpt-test"
model_provider = "script"
[model_providers.script]
name = "script"
base_url = "%s"
env_key = "SCRIPT_API_KEY"
wire_api = "responses"
[mcp_servers.shop]
command = "python3"
args = ["server.py"]
"""


def installed():
    versions = " ".join(PACKAGES)
    known = HOME / "versions"
    if not known.exists() or known.read_text() != versions:
        shutil.rmtree(HOME, ignore_errors=True)
        HOME.mkdir(parents=True)
        (HOME / "package.json").write_text('{ "private": true }')
        words = ["npm", "install", "--prefix", str(HOME), "--silent", "--no-audit", "--no-fund", "--save-exact"]
        subprocess.run(words + PACKAGES, check=True, timeout=900)
        known.write_text(versions)
    return HOME / "node_modules" / ".bin"


def prepared(folder, addresses):
    """Writes the config files of both agents, and returns their environment."""
    home = folder / "home"
    (home / ".codex").mkdir(parents=True)
    (home / ".codex" / "config.toml").write_text(CODEX % addresses["openai_base_url"])
    shop = {"command": "python3", "args": ["server.py"]}
    (folder / ".mcp.json").write_text(json.dumps({"mcpServers": {"shop": shop}}))
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "ANTHROPIC_BASE_URL": addresses["anthropic_base_url"],
        "ANTHROPIC_API_KEY": "sk-ant-test",
        "SCRIPT_API_KEY": "sk-test",
        "IS_SANDBOX": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


def run(words, folder, environment):
    none = subprocess.DEVNULL
    return subprocess.run(words, cwd=folder, env=environment, stdin=none, capture_output=True, text=True, timeout=180)


def holds(name, command, calls, addresses):
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        one, other = Path(one), Path(other)
        environment = prepared(one, addresses)
        tests = HERE.parent.parent / "crates" / "agentci" / "tests" / "cli"
        shutil.copy(tests / "mcp_server.py", one / "server.py")
        (one / "orders.json").write_text('{"A-17": "A-17 is shipped"}')
        recorded = run([AGENTCI, "record", "-o", "r.jsonl", "--", *command], one, environment)
        assert recorded.returncode == 0 and "The order is shipped." in recorded.stdout, recorded
        assert f"stdio:python server.py  {calls}" in recorded.stderr, recorded.stderr
        assert "was not recorded" not in recorded.stderr, recorded.stderr
        elsewhere = prepared(other, addresses)
        shutil.copy(one / "r.jsonl", other)
        replayed = run([AGENTCI, "replay", "r.jsonl"], other, elsewhere)
        assert replayed.returncode == 0 and "The order is shipped." in replayed.stdout, replayed
        assert not (other / "started").exists()
        changed = run([AGENTCI, "replay", "r.jsonl", "--", *command[:-1], "Look up order B-1"], other, elsewhere)
        assert changed.returncode == 1 and "replay_miss" in changed.stderr, changed
        print(f"ok {name}: {calls}", flush=True)


def main():
    programs = installed()
    claude = [str(programs / "claude"), "--mcp-config", ".mcp.json", "--strict-mcp-config", "--allowedTools",
              "mcp__shop__get_order", "-p", QUESTION]
    codex = [str(programs / "codex"), "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", QUESTION]
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "model.yaml"
        script.write_text(MODEL)
        model = subprocess.Popen([AGENTCI, "serve", "llm", str(script)], stdout=subprocess.PIPE, text=True)
        try:
            addresses = json.loads(model.stdout.readline())
            holds("claude", claude, "3 calls", addresses)
            # Codex offers its tools in a namespace that the script does not use, so it lists them but calls none.
            holds("codex", codex, "2 calls", addresses)
        finally:
            model.terminate()
            model.wait(timeout=10)


sys.exit(main())
