"""Makes device "npu" known to torch: name, module, generated methods, Dynamo's view of it."""
import atexit
import importlib.abc
import importlib.util
import sys

import torch
from superkernel import _device  # registers PrivateUse1, its kernels and operators

_INTERFACES = "torch._dynamo.device_interface"


def _interface(module):
    """Dynamo's DeviceInterface of the device; made once torch._dynamo is there."""

    class NpuInterface(module.DeviceInterface):
        device = torch.npu.device
        Event = torch.npu.Event
        Stream = torch.npu.Stream

        class Worker:
            set_device = staticmethod(torch.npu.set_device)
            current_device = staticmethod(torch.npu.current_device)
            get_device_properties = staticmethod(torch.npu.get_device_properties)

        current_device = staticmethod(torch.npu.current_device)
        set_device = staticmethod(torch.npu.set_device)
        device_count = staticmethod(torch.npu.device_count)
        is_available = staticmethod(torch.npu.is_available)
        synchronize = staticmethod(torch.npu.synchronize)
        current_stream = staticmethod(torch.npu.current_stream)
        set_stream = staticmethod(torch.npu.set_stream)
        stream = staticmethod(torch.npu.stream)
        get_device_properties = staticmethod(torch.npu.get_device_properties)
        memory_allocated = staticmethod(torch.npu.memory_allocated)

        @staticmethod
        def _set_stream_by_id(stream_id, device_index, device_type):
            torch.npu.set_stream(torch.npu.Stream(stream_id=stream_id, device_index=device_index, device_type=device_type))

        @staticmethod
        def get_raw_stream(device_index):
            return torch.npu.current_stream(device_index).npu_stream

        @staticmethod
        def exchange_device(device):
            return 0

        @staticmethod
        def maybe_exchange_device(device):
            return 0

        @staticmethod
        def is_bf16_supported(including_emulation=False):
            return True

        @staticmethod
        def get_compute_capability(device=None):
            return None

    return NpuInterface


def _register_interface(module):
    interface = _interface(module)
    module.register_interface_for_device("npu", interface)
    module.register_interface_for_device("npu:0", interface)


class _Finder(importlib.abc.MetaPathFinder):
    """Lets the usual finders find a module and calls back right after it was executed."""

    def __init__(self, wanted, callback):
        self.wanted, self.callback = wanted, callback

    def find_spec(self, name, path, target=None):
        if name != self.wanted:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            self.callback(module)

        spec.loader.exec_module = exec_module
        return spec


def after_import(name, callback):
    """Calls callback(module) now if the module is there, else when it is first imported."""
    if name in sys.modules:
        callback(sys.modules[name])
    else:
        sys.meta_path.insert(0, _Finder(name, callback))


def _trace_streams(module):
    """Streams and events made inside a compiled model are objects of the graph, as torch's own are."""
    known = module.UserDefinedClassVariable._in_graph_classes()
    known.update((torch.npu.Stream, torch.npu.Event))


def _shut_down():
    """What nobody waited for runs while Python can still run operators written in it."""
    try:
        _device.synchronize()
    except RuntimeError as error:
        print(f"torch_npu: work that was pending at exit failed: {error}", file=sys.stderr)


def finish(npu):
    """After the modules of torch.npu are loaded: everything that torch generates from them."""
    torch.utils.rename_privateuse1_backend("npu")
    torch._register_device_module("npu", npu)
    torch.utils.generate_methods_for_privateuse1_backend(
        for_tensor=True, for_module=True, for_storage=True,
        unsupported_dtype=[torch.quint8, torch.quint4x2, torch.quint2x4, torch.qint32, torch.qint8])
    after_import(_INTERFACES, _register_interface)
    atexit.register(_shut_down)
    after_import("torch._dynamo.variables.user_defined", _trace_streams)
    from .npugraph_ex import register
    register.install()
