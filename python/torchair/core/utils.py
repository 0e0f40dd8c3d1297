"""The logger of torchair. TNG_LOG_LEVEL: 0 debug, 1 info, 2 warning, 3 error (default), 4 nothing."""
import logging
import os

EVENT = 35


class _Logger(logging.Logger):
    def event(self, text: str, *args, **more) -> None:
        """What is told whatever the level of errors and warnings is."""
        if self.isEnabledFor(EVENT):
            self._log(EVENT, text, args, **more)


def _make() -> _Logger:
    made = _Logger("torchair")
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("[%(levelname)s] TORCHAIR %(message)s"))
    made.addHandler(handler)
    levels = {"0": logging.DEBUG, "1": logging.INFO, "2": logging.WARNING, "3": logging.ERROR, "4": logging.CRITICAL + 1}
    given = os.environ.get("TNG_LOG_LEVEL", "3")
    if given not in levels:
        raise ValueError(f"TNG_LOG_LEVEL is '{given}'; legal: {', '.join(levels)}")
    made.setLevel(levels[given])
    return made


logging.addLevelName(EVENT, "EVENT")
logger = _make()
