"""Streams, events and limits of cores in compiled models."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from compiled import close, compiled, dumped, raises, rejected, test, TESTS, x44  # noqa: E402
import tap  # noqa: E402
import torch  # noqa: E402


@test
def streams_and_events_are_arguments():
    def model(x, stream, ready, done):
        y = x + 1
        ready.record()
        with torch.npu.stream(stream):
            ready.wait(stream)
            z = y * 2
            done.record(stream)
        w = x - 1
        done.wait()
        return z + w
    x, stream = x44(), torch.npu.Stream()
    model = compiled(model, fullgraph=True)
    for _ in range(2):
        got = model(x, stream, torch.npu.Event(), torch.npu.Event())
        assert close(got, (x.cpu() + 1) * 2 + x.cpu() - 1)


@test
def streams_and_events_of_the_model_itself():
    def model(x):
        side, ready = torch.npu.Stream(), torch.npu.Event()
        y = x + 1
        ready.record()
        with torch.npu.stream(side):
            side.wait_event(ready)
            z = y * 2
        torch.npu.current_stream().wait_stream(side)
        with torch.npu.stream(None):
            return z - x
    x = x44()
    model = compiled(model, fullgraph=True)
    for _ in range(2):
        assert close(model(x), (x.cpu() + 1) * 2 - x.cpu())


@test
def several_streams_tied_by_events():
    def model(a, b):
        one, two, first, second = torch.npu.Stream(), torch.npu.Stream(), torch.npu.Event(), torch.npu.Event()
        x = a + b
        y = a * b
        first.record()
        with torch.npu.stream(one):
            first.wait(one)
            z = y - x
            second.record()
            y.record_stream(one)
        w = a - b
        with torch.npu.stream(two):
            second.wait(two)
            v = z * 2
        return x, z, w, v
    a, b = x44(), x44()
    model = compiled(model, fullgraph=True)
    ha, hb = a.cpu(), b.cpu()
    [graph] = dumped(lambda: [model(a, b) for _ in range(2)])
    kinds = [node["nodeType"] for stream in graph["streams"] for node in stream["nodes"]]
    # The two events of the model, one for each stream to begin, one for each to come back.
    assert graph["totalStreams"] == 3 and kinds.count("NOTIFY") == kinds.count("WAIT") == 6, kinds
    want = ha + hb, ha * hb - (ha + hb), ha - hb, (ha * hb - (ha + hb)) * 2
    assert all(close(one, other) for one, other in zip(model(a, b), want))


@test
def streams_of_a_model_are_streams_of_the_graph():
    def model(x):
        side = torch.npu.Stream()
        y = x + 1
        with torch.npu.stream(side):
            z = y * 2
        return z - x, y
    [graph] = dumped(lambda: compiled(model)(x44()))
    assert graph["totalStreams"] == 2, graph["totalStreams"]


@test
def limits_of_cores_hold_inside_the_block_only():
    scope = torch.npu.npugraph_ex.scope
    seen = []


    def model(x):
        with scope.limit_core_num(4, 5):
            y = x + 1
        return y * 2
    original = torch.npu.set_stream_limit

    def recording(stream, cube_num=-1, vector_num=-1):
        seen.append((cube_num, vector_num))
        return original(stream, cube_num, vector_num)
    x = x44()
    torch.npu.set_stream_limit = recording
    try:
        assert close(compiled(model, fullgraph=True)(x), (x.cpu() + 1) * 2)
    finally:
        torch.npu.set_stream_limit = original
    assert seen == [(4, 5), (24, 48)], seen
    for wrong in ((0, 1), (1, 0), ("4", 4)):
        raises(ValueError, lambda: scope.limit_core_num(*wrong), "int of 1 or more")


@test
def a_graph_break_inside_a_limit_is_diagnosed():
    scope = torch.npu.npugraph_ex.scope

    def model(x):
        with scope.limit_core_num(4, 5):
            y = x + 1
            torch.npu.npugraph_ex.library.scope_exit()
        return y
    rejected(model, x44(), words=["scope_exit", "must first call"])


if __name__ == "__main__":
    sys.exit(tap.run(TESTS))
