# Runs functions of a suite: one request a line on standard input, one answer a line on standard output.
# Arguments: the memory limit in bytes (0: none), then the folders to import from.
#
#   {"load": KEY, "path": .., "file": .., "name": .., "source": ..}        {"loaded": true}
#   {"call": KEY, "function": .., "arguments": [..], "most": BYTES}        {"returned": ..}
#   {"module": NAME}                                                       {"tools": [..]}
#   {"tool": NAME, "args": ..}                                             {"returned": ..}
#
# An exception is {"thrown": .., "line": .., "traceback": [..]}.
import sys

if sys.path and sys.path[0] == "":
    # The working folder must not hide the modules that are imported here.
    del sys.path[0]

import faulthandler
import importlib
import io
import json
import linecache
import os
import signal
import traceback
import types

MOST_FRAMES = 20
MOST_LINES = 60
MOST_TEXT = 2000
# The end of text that was cut. The redactor treats the beginning of a secret before this mark as the whole secret.
CUT = " [cut]"

# Code of the suite has no access to the streams of the protocol by their usual numbers: it reads nothing, and
# everything that it prints goes to standard error.
requests = io.open(os.dup(0), "rb", buffering=1 << 16)
answers = io.open(os.dup(1), "wb", buffering=1 << 16)
nothing = os.open(os.devnull, os.O_RDONLY)
errors = os.dup(2)
os.dup2(nothing, 0)
os.dup2(errors, 1)
for stream in (sys.stdout, sys.stderr):
    stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
process = os.getpid()
loaded = {}
tools = {}
event_loop = None
# The coroutine that is running.
awaited = []


def limit_memory(limit):
    import resource

    for which, bytes in ((resource.RLIMIT_DATA, limit), (resource.RLIMIT_CORE, 0)):
        try:
            resource.setrlimit(which, (bytes, bytes))
        except (OSError, ValueError):
            pass  # The limit is lower already, or the system has none.


def load(request):
    name, path, source = request["name"], request["path"], request["source"]
    # Tracebacks show the lines that run, even if the file has changed since.
    # Unlike `splitlines`, this splits only where Python does.
    linecache.cache[path] = (len(source), None, io.StringIO(source, None).readlines(), path)
    try:
        code = compile(source, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        return {"syntax": error.msg, "line": error.lineno or 1, "column": error.offset or 1}
    # A file such as `json.py` must not replace a module that is in use.
    name = "_agentci_" + name if name in sys.modules else name
    module = types.ModuleType(name)
    module.__file__ = request["file"]
    sys.modules[name] = module
    try:
        exec(code, module.__dict__)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    loaded[request["load"]] = (module, path)
    return {"loaded": True}


def call(request):
    module, _ = loaded[request["call"]]
    function = getattr(module, request["function"], None)
    if not callable(function):
        own = [name for name, value in vars(module).items() if isinstance(value, types.FunctionType)]
        return {"missing": [name for name in own if not name.startswith("_")]}
    back = working_folder()
    try:
        result = function(*request["arguments"][: accepted(function)])
        if isinstance(result, types.CoroutineType):
            result = finish(result)
    finally:
        # A folder that a file chose while it was loaded remains.
        if back is not None and back != working_folder() and os.path.isdir(back):
            os.chdir(back)
    return encoded(result, request["most"])


def working_folder():
    try:
        return os.getcwd()
    except OSError:
        return None  # It was deleted.


def finish(coroutine):
    """Runs a coroutine. All calls share an event loop, since a client that the file keeps belongs to the loop in which
    it was first used. `asyncio.run` would also remove the loop for later functions that are not `async`."""
    global event_loop
    import asyncio

    if event_loop is None or event_loop.is_closed():
        event_loop = asyncio.new_event_loop()
    asyncio.set_event_loop(event_loop)
    awaited.append(coroutine)
    try:
        return event_loop.run_until_complete(coroutine)
    finally:
        awaited.clear()


def stop_late(_number, _frame):
    """Says where a late coroutine waits, from the innermost function to the outermost. The running frames, which
    `faulthandler` has reported, are those of the event loop."""
    frames = []
    coroutine = awaited[0] if awaited and not awaited[0].cr_running else None
    while coroutine is not None and len(frames) < MOST_FRAMES:
        frame = getattr(coroutine, "cr_frame", None) or getattr(coroutine, "gi_frame", None)
        if frame is not None:
            frames.append('  File "%s", line %d in %s' % (frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name))
        coroutine = getattr(coroutine, "cr_await", None) or getattr(coroutine, "gi_yieldfrom", None)
    try:
        os.write(answers.fileno(), "".join(frame + "\n" for frame in reversed(frames)).encode("utf-8", "replace"))
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.kill(process, signal.SIGTERM)


def forget_signals():
    """For a process that a function forked, such as a worker of a `multiprocessing.Pool`, which is ended with `SIGTERM`:
    it would write between the answers."""
    faulthandler.unregister(signal.SIGTERM)
    if signal.getsignal(signal.SIGTERM) is stop_late:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def accepted(function):
    """How many of the arguments a function takes: like in JavaScript, it need not declare the last ones."""
    if isinstance(function, types.FunctionType) and not hasattr(function, "__wrapped__"):
        return 3 if function.__code__.co_flags & 0x04 else function.__code__.co_argcount
    import inspect

    # A decorator usually passes on what it gets. One that adds or removes arguments declares its own.
    most = accepted(function.__wrapped__) if hasattr(function, "__wrapped__") else 3
    try:
        parameters = inspect.signature(function, follow_wrapped=False).parameters.values()
    except (TypeError, ValueError):
        return most
    if any(parameter.kind == parameter.VAR_POSITIONAL for parameter in parameters):
        return most
    return sum(parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD) for parameter in parameters)


def encoded(value, most):
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"), default=plain)
    except MemoryError:
        raise
    except Exception as error:
        kind = repr(value) if type(value) is float else "a value of type `%s`" % type(value).__name__
        return {"thrown": "it returned %s, which cannot be represented as JSON: %s" % (kind, words(error))}
    # Halves of surrogate pairs have no UTF-8 form.
    text = text.encode("utf-8", "replace")
    if most and len(text) > most:
        return {"thrown": "it returned more than %d KB" % (most // 1024)}
    return b'{"returned":' + text + b"}"


def plain(value):
    """The plain value of a scalar of numpy, such as the result of a comparison."""
    if type(value).__module__ == "numpy" and getattr(value, "ndim", None) == 0:
        return value.item()
    raise TypeError("`%s` is not a type of JSON" % type(value).__name__)


def cut(text):
    return text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + CUT


def words(error):
    name = type(error).__name__
    try:
        text = str(error)
    except BaseException:
        text = ""
    return cut(name + ": " + text if text else name)


def shown(value):
    try:
        return cut(repr(value))
    except BaseException:
        return "a value of type `%s`" % type(value).__name__


def explain(error, path):
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_globals is globals():
        trace = trace.tb_next
    answer = {}
    step = trace
    while step is not None:
        if step.tb_frame.f_code.co_filename == path:
            answer["line"] = step.tb_lineno
        step = step.tb_next
    if isinstance(error, MemoryError):
        # The answer is made with what little memory is left.
        answer.update(thrown="MemoryError", memory=True)
        return answer
    answer["thrown"] = words(error)
    if isinstance(error, SystemExit):
        answer["thrown"] = "it called `sys.exit(%s)`" % ("" if error.code is None else shown(error.code))
    try:
        told = traceback.TracebackException(type(error), error, trace, limit=-MOST_FRAMES).format()
        lines = [cut(line) for part in told for line in part.rstrip("\n").split("\n")]
        answer["traceback"] = lines[:MOST_LINES] if trace is not None else []
    except BaseException:
        pass
    return answer


def list_tools(request):
    name = request["module"]
    try:
        found = getattr(importlib.import_module(name), "TOOLS", None)
    except BaseException as error:
        return {"thrown": "module `%s` cannot be imported: %s: %s" % (name, type(error).__name__, error)}
    if not isinstance(found, dict):
        return {"thrown": "module `%s` has no mapping TOOLS" % name}
    tools.update(found)
    return {"tools": sorted(str(name) for name in tools)}


def use_tool(request):
    try:
        tool = tools[request["tool"]]
        result = (tool.call if hasattr(tool, "call") else tool)(request["args"])
    except BaseException as error:
        return {"thrown": str(error) or type(error).__name__}
    return encoded(result, 0)


def respond(line):
    path = None
    try:
        request = json.loads(line)
        if "call" in request:
            path = loaded[request["call"]][1]
            return call(request)
        if "tool" in request:
            return use_tool(request)
        if "load" in request:
            path = request["path"]
            return load(request)
        return list_tools(request)
    except BaseException as error:
        return explain(error, path)


def restore_streams():
    """Opens streams again that a function closed: others use them, too."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = getattr(sys, name, None)
        try:
            if number:
                stream.flush()
            is_usable = not stream.closed
        except Exception:
            is_usable = False
        os.dup2(errors if number else nothing, number)
        if not is_usable:
            options = {"encoding": "utf-8", "errors": "backslashreplace", "closefd": False}
            setattr(sys, name, io.open(number, "w", buffering=1, **options) if number else io.open(number, **options))


def main():
    limit = int(sys.argv[1])
    if limit:
        limit_memory(limit)
    sys.path[0:0] = sys.argv[2:]
    sys.argv = [""]
    try:
        # A process that is stopped because it is late says where it was.
        signal.signal(signal.SIGTERM, stop_late)
        faulthandler.register(signal.SIGTERM, file=answers, all_threads=False, chain=True)
        os.register_at_fork(after_in_child=forget_signals)
    except Exception:
        pass
    for line in requests:
        answer = respond(line)
        if os.getpid() != process:
            # A function forked, and this is the child that came back from it.
            os._exit(0)
        restore_streams()
        if not isinstance(answer, bytes):
            # Text of an exception may have halves of surrogate pairs, such as the name of a file.
            answer = json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")
        answers.write(answer + b"\n")
        answers.flush()


main()
