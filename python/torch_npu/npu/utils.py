"""Questions about the vendor's software that scripts ask."""
_VERSION = "9.9.0"  # the release whose behaviour is simulated


def get_cann_version(module="CANN") -> str:
    return _VERSION


def _is_gte_cann_version(version, module="CANN") -> bool:
    def numbers(text):
        return [int(part) for part in text.split(".") if part.isdigit()]
    return numbers(_VERSION) >= numbers(version)
