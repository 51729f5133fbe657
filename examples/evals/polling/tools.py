"""Tools with state: an export is queued, then running, then done."""

import time

STATES = ["queued", "running", "done"]
exports = {}


def start_export(args):
    exports[args["report"]] = 0
    return {"id": args["report"], "answered_at": time.time()}


def export_status(args):
    if args["id"] not in exports:
        raise KeyError("no export " + args["id"])
    state = STATES[min(exports[args["id"]], len(STATES) - 1)]
    exports[args["id"]] += 1
    return {"state": state, "answered_at": time.time()}


TOOLS = {"start_export": start_export, "export_status": export_status}
