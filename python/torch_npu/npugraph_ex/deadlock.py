"""deadlock_check: kernels of several streams that could each hold cores the other waits for.

A kernel launched in batch mode (schedmode 1) starts when all its cores are free, and not before. Two of
them that no event orders, and that together need more cores than the chip has, may block each other when
other work holds the rest. Works on the JSON of a captured graph.
"""
import itertools
import json


def _cores(kernel) -> dict:
    """Cube and vector cores a launch takes."""
    blocks, kind = kernel["numBlocks"], kernel["kernelType"]
    if kind in ("AIV_ONLY", "MIX_AIV_1_0"):
        return {"AIC": 0, "AIV": blocks}
    if kind in ("AIC_ONLY", "MIX_AIC_1_0"):
        return {"AIC": blocks, "AIV": 0}
    return {"AIC": blocks, "AIV": blocks * (2 if kind.endswith("1_2") else 1)}


def _ordered_nodes(graph) -> list:
    """Nodes in capture order, each with `seen`: per stream the last position that happens before it or is it."""
    nodes = sorted((node for stream in graph["streams"] for node in stream["nodes"]), key=lambda node: node["nodeId"])
    at_stream, at_event = {}, {}
    for node in nodes:
        stream = node["streamIdxInGraph"]
        seen = dict(at_stream.get(stream, {}))
        task = node["taskInfo"][0]
        event = (task.get("eventParams") or {}).get("eventId")
        if node["nodeType"] == "WAIT" and event in at_event:
            for other, position in at_event[event].items():
                seen[other] = max(seen.get(other, -1), position)
        seen[stream] = node["nodeIdxInStream"]
        if node["nodeType"] == "NOTIFY" and event is not None:
            at_event[event] = seen
        at_stream[stream] = node["seen"] = seen
    return nodes


def conflicts(graph) -> list:
    """[(node, node, core type, cores needed together)] of a graph as read from its JSON."""
    device = {"AIC": graph["device"]["aic"], "AIV": graph["device"]["aiv"]}
    batch = []
    for node in _ordered_nodes(graph):
        kernel = node["taskInfo"][0].get("kernelParams")
        if kernel is not None and (kernel.get("schedMode") or {}).get("launch") == 1:
            batch.append((node, _cores(kernel)))
    found = []
    for (one, cores), (other, more) in itertools.combinations(batch, 2):
        stream, place = one["streamIdxInGraph"], one["nodeIdxInStream"]
        if stream == other["streamIdxInGraph"] or other["seen"].get(stream, -1) >= place:
            continue
        for kind, there in device.items():
            if cores[kind] and more[kind] and cores[kind] + more[kind] > there:
                found.append((one, other, kind, cores[kind] + more[kind]))
    return found


def _name(node, kind) -> str:
    kernel = node["taskInfo"][0]["kernelParams"]
    return f"[stream {node['streamIdxInGraph']} node {node['nodeId']}] {kernel['funcName']} ({_cores(kernel)[kind]} {kind})"


def report(path: str) -> str:
    """What to print for the graph dumped to `path`."""
    with open(path, encoding="utf-8") as file:
        graph = json.load(file)
    found = conflicts(graph)
    if not found:
        return f"[RESULT] No deadlock risks detected. ({path})"
    lines = [f"[RESULT] Deadlock risk detected! {len(found)} conflicting pair(s): ({path})"]
    for one, other, kind, together in found:
        there = graph["device"]["aic" if kind == "AIC" else "aiv"]
        lines.append(f"  CONFLICT: {_name(one, kind)} <-> {_name(other, kind)} sum={together} > {there}")
    return "\n".join(lines)
