"""Minimal TAP for tests in Python: each function in the list is one test; an exception fails it."""
import sys
import traceback


class Skip(Exception):
    """Raised by a test that cannot run here; the text says why."""


def run(tests) -> int:
    """Runs the tests, prints TAP, returns the exit code."""
    print(f"1..{len(tests)}")
    failed = 0
    for number, test in enumerate(tests, 1):
        try:
            test()
            print(f"ok {number} - {test.__name__}", flush=True)
        except Skip as why:
            print(f"ok {number} - {test.__name__} # SKIP {why}", flush=True)
        except Exception:  # any failure of a test is reported, whatever its kind
            failed += 1
            print(f"not ok {number} - {test.__name__}", flush=True)
            for line in traceback.format_exc().splitlines():
                print(f"# {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit("tap.py is a module")
