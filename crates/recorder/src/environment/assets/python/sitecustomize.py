"""Leads the connections of a Python program through the recorder, also of clients that ignore HTTPS_PROXY, and its MCP servers.

Found by PYTHONPATH before anything of the program runs. It waits for the modules that open connections to be imported and
patches them then; what it does to them is in `_agentci_tunnel.py`, which is not even read by a program without connections.
Then it steps aside: the folder leaves `sys.path`, and the next `sitecustomize`, if there is one, is imported in its place.
"""

import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
# Each has a function in _agentci_tunnel whose name is the module's with underscores.
_WAITED_FOR = frozenset((
    "socket",
    "asyncio.base_events",
    "urllib3.util.connection",
    "aiohttp.client",
    "anyio._core._sockets",
    "certifi.core",
    "subprocess",
))


def _tunnel():
    name = "_agentci_tunnel"
    if name not in sys.modules:
        from importlib import util
        spec = util.spec_from_file_location(name, os.path.join(_HERE, name + ".py"))
        module = util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


def _patch(module, name):
    getattr(_tunnel(), name.replace(".", "_"))(module)


class _Finder:
    """Lets the others find a module, and patches it when it has been executed."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in _WAITED_FOR:
            return None
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            if finder is _Finder or find is None:
                continue
            spec = find(name, path, target)
            if spec is not None:
                _watch(spec, name)
                return spec
        return None


def _watch(spec, name):
    loader = spec.loader
    execute = getattr(loader, "exec_module", None)
    # A loader that is a class (built in or frozen modules) is shared by many modules.
    if execute is None or isinstance(loader, type):
        return

    def exec_module(module):
        try:
            del loader.exec_module
        except AttributeError:
            pass
        execute(module)
        _patch(module, name)

    try:
        loader.exec_module = exec_module
    except AttributeError:
        pass


def _install():
    for name in _WAITED_FOR:
        module = sys.modules.get(name)
        if module is not None:
            _patch(module, name)
    sys.meta_path.insert(0, _Finder)


if os.environ.get("AGENTCI_PROXY"):
    _install()

sys.path[:] = [entry for entry in sys.path if not entry or os.path.abspath(entry) != _HERE]
# From here on it is as if we had never been here: the next sitecustomize takes our place. Its errors reach `site`, which
# reports them in its own way; so does the error that there is none, which `site` ignores.
_self = sys.modules.pop(__name__, None)
import sitecustomize  # noqa: E402,F401
