"""Each example finds its own results right and is verified clean, or with exactly the finding it is about."""
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs"))
import tap  # noqa: E402

BUILD = Path(sys.argv[1])
NAMES = sys.argv[2:]


def verify(name: str) -> subprocess.CompletedProcess:
    """skv verify of an example; text of both streams."""
    return subprocess.run([BUILD / "skv", "verify", BUILD / name], capture_output=True, text=True, timeout=120,
                          check=False)


def is_clean(name: str):
    def test():
        done = verify(name)
        assert done.returncode == 0, done.stdout + done.stderr
        assert " 0 wrong" in done.stdout, done.stdout
        assert "verdict: clean" in done.stdout, done.stdout

    test.__name__ = f"{Path(name).name} is right and verified clean"
    return test


if __name__ == "__main__":
    sys.exit(tap.run([is_clean(name) for name in NAMES]))
