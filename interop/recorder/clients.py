"""The clients that the recorder is tested with: a command for each, without a base URL or proxy setting."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The folders into which `interop/run`, `interop/recorder/install` and `interop/recorder/runtimes` install packages.
MAIN = Path(os.environ.get("INTEROP_HOME", ROOT / "target" / "interop"))
FULL = Path(os.environ.get("INTEROP_RECORDER_HOME", ROOT / "target" / "interop-recorder"))
VERSIONS = ROOT / "target" / "interop-runtimes"

MAIN_PYTHON = MAIN / "venv" / "bin" / "python"
FULL_PYTHON = FULL / "venv" / "bin" / "python"
OLD_PYTHON = FULL / "old" / "bin" / "python"
NODE = Path(shutil.which("node") or "node")
NODES = ("18.20.8", "20.20.2", "22.23.3", "24.21.0", "26.10.0")
PYTHONS = ("3.9", "3.10", "3.11", "3.12", "3.13", "3.14", "3.15")
# The versions in `./test`: an early and a late one of each runtime.
QUICK_VERSIONS = ("18.20.8", "26.10.0", "3.9", "3.14")
BUN = FULL / "bun@1.4.4" / "node_modules" / ".bin" / "bun"
DENO = FULL / "deno@2.9.6" / "node_modules" / ".bin" / "deno"


@dataclass(frozen=True)
class Client:
    """One row of the matrix. Its command runs in a folder with a copy of the agents and, for Node, their packages."""

    name: str
    command: tuple
    # Whether `./test` runs it.
    quick: bool = False
    modules: Path = None

    @property
    def installed(self):
        return Path(self.command[0]).exists()


def python(name, agent, *arguments, program=FULL_PYTHON, quick=False):
    return Client(name, (str(program), f"{agent}_agent.py", *arguments), quick)


def node(name, agent, *arguments, program=NODE, modules=FULL, quick=False):
    return Client(name, (str(program), f"{agent}_agent.mjs", *arguments), quick, modules)


def curl():
    body = '{"model":"gpt-4o","messages":[{"role":"user","content":"What is the weather in Paris?"}]}'
    shell = (
        'curl --silent --show-error --fail-with-body https://api.openai.com/v1/chat/completions'
        ' -H "authorization: Bearer $OPENAI_API_KEY" -H "content-type: application/json" -d "$0"'
    )
    return Client("curl", ("/bin/sh", "-c", shell, body), True)


PYTHON_SDKS = [
    python("openai 3", "openai", program=MAIN_PYTHON, quick=True),
    python("openai 2", "openai", program=OLD_PYTHON),
    python("anthropic 2", "anthropic", program=MAIN_PYTHON, quick=True),
    python("anthropic 0", "anthropic", program=OLD_PYTHON),
    python("google-genai", "genai"),
    *(python(f"litellm, {name}", "litellm", name) for name in ("openai", "anthropic", "gemini", "mistral")),
    python("langchain-openai", "langchain", "openai", program=MAIN_PYTHON),
    python("langchain-anthropic", "langchain", "anthropic", program=MAIN_PYTHON),
    python("pydantic-ai, openai", "pydantic", "openai", program=MAIN_PYTHON),
    python("pydantic-ai, anthropic", "pydantic", "anthropic", program=MAIN_PYTHON),
    python("openai-agents", "agents", program=MAIN_PYTHON),
    python("mistralai", "mistral"),
    python("cohere", "cohere"),
    python("ollama", "ollama"),
    python("boto3, bedrock", "bedrock"),
]
PYTHON_CLIENTS = [
    python("aiohttp", "client", "aiohttp", program=MAIN_PYTHON, quick=True),
    python("urllib3", "client", "urllib3", program=MAIN_PYTHON),
    python("http.client", "client", "http.client", program=MAIN_PYTHON),
    python("urllib", "client", "urllib", program=MAIN_PYTHON),
    python("requests", "client", "requests", program=MAIN_PYTHON),
    python("httpx", "client", "httpx", program=MAIN_PYTHON),
    python("an MCP server, subprocess and asyncio", "mcp", program=MAIN_PYTHON),
]


def node_sdks(program, suffix):
    providers = ("openai", "anthropic", "google", "mistral")
    return [
        node(f"openai{suffix}", "openai", program=program),
        node(f"@anthropic-ai/sdk{suffix}", "anthropic", program=program),
        node(f"@google/genai{suffix}", "genai", program=program),
        *(node(f"ai, @ai-sdk/{name}{suffix}", "ai_sdk", name, program=program) for name in providers),
        node(f"@mistralai/mistralai{suffix}", "mistral", program=program),
        node(f"cohere-ai{suffix}", "cohere", program=program),
        node(f"@langchain/openai{suffix}", "langchain", program=program),
    ]


QUICK_NODE = [
    node("openai (node)", "openai", modules=MAIN, quick=True),
    node("ai, @ai-sdk/openai (node)", "ai_sdk", "openai", modules=MAIN, quick=True),
    node("undici, own agent", "client", "undici", modules=MAIN, quick=True),
]
NODE_CLIENTS = [
    *(node(name, "client", name) for name in ("fetch", "https", "got", "axios", "node-fetch")),
    node("an MCP server, child_process", "mcp"),
]


def of_node(version):
    """Returns the clients for a version of Node.js."""
    home = VERSIONS / f"node@{version}"
    # The current packages do not run on Node.js 18, which has its own, older packages.
    old = version == NODES[0]
    program, modules = home / "node_modules" / "node" / "bin" / "node", home if old else FULL
    suffix = f" (node {version.split('.')[0]})"
    quick = version in QUICK_VERSIONS
    sdks = [node(f"openai{suffix}", "openai", program=program, modules=modules)] if old else node_sdks(program, suffix)
    return [
        *sdks,
        *(
            node(f"{name}{suffix}", "client", name, program=program, modules=modules)
            for name in ("undici", "got", "axios", "node-fetch")
        ),
        *(node(f"{name}{suffix}", "client", name, program=program, modules=None, quick=quick) for name in ("fetch", "https")),
        node(f"an MCP server, child_process{suffix}", "mcp", program=program, modules=None, quick=quick),
    ]


def of_python(version):
    """Returns the clients for a version of Python."""
    program = VERSIONS / f"python{version}" / "bin" / f"python{version}"
    suffix = f" (python {version})"
    quick = version in QUICK_VERSIONS
    return [
        python(f"openai{suffix}", "openai", program=program, quick=quick),
        python(f"http.client{suffix}", "client", "http.client", program=program, quick=quick),
        *(python(f"{name}{suffix}", "client", name, program=program) for name in ("urllib", "requests", "aiohttp")),
        python(f"an MCP server, subprocess and asyncio{suffix}", "mcp", program=program, quick=quick),
    ]


RUNTIMES = [
    node("openai (bun)", "openai", program=BUN),
    node("fetch (bun)", "client", "fetch", program=BUN),
    Client("fetch (deno)", (str(DENO), "run", "--allow-all", "--quiet", "client_agent.mjs", "fetch"), modules=FULL),
    Client("net/http (go)", (str(FULL / "go-client"),)),
]

ALL = [
    *PYTHON_SDKS,
    *PYTHON_CLIENTS,
    *QUICK_NODE,
    *NODE_CLIENTS,
    *(client for version in NODES for client in of_node(version)),
    *(client for version in PYTHONS for client in of_python(version)),
    *RUNTIMES,
    curl(),
]
QUICK = [client for client in ALL if client.quick]
