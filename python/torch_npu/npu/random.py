"""Random numbers: the device's default generator. Draws are made on the host."""
import torch
from superkernel import _device


class _Generators:
    """One generator per device, made on first use."""

    def __init__(self):
        self._made = None

    def __len__(self):
        return 1

    def __getitem__(self, index):
        if index != 0:
            raise IndexError(f"default_generators: device {index} does not exist; legal: 0")
        if self._made is None:
            _device.share_default_generator()
            self._made = torch.Generator(device="npu")
        return self._made


default_generators = _Generators()


def manual_seed(seed) -> None:
    default_generators[0].manual_seed(int(seed))


def manual_seed_all(seed) -> None:
    manual_seed(seed)


def seed() -> None:
    default_generators[0].seed()


def seed_all() -> None:
    seed()


def initial_seed() -> int:
    return default_generators[0].initial_seed()


def get_rng_state(device="npu"):
    return default_generators[0].get_state()


def get_rng_state_all() -> list:
    return [get_rng_state()]


def set_rng_state(new_state, device="npu") -> None:
    default_generators[0].set_state(new_state)


def set_rng_state_all(new_states) -> None:
    for state in new_states:
        set_rng_state(state)
