"""The scripts of examples/python and the published one of the self-verification guide, run and verified by skv."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import frontend  # noqa: E402
import tap  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "python"
OWN_OPERATOR = frontend.BUILD / "examples" / "python" / "own_operator.so"
# Acceptance scripts are no part of the repository.
SEED = ROOT.parent / "shared" / "seed" / "verify_npugraph_ex.py"


def skv(verb, script, *arguments):
    """(exit code, standard output, report) of skv VERB in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([frontend.BUILD / "skv", verb, "--json", "report.json", str(script), *arguments], cwd=folder,
                              capture_output=True, text=True, timeout=600, check=False)
        report = Path(folder, "report.json")
        document = json.loads(report.read_text(encoding="utf-8")) if report.exists() else {}
        assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout, document


def clean(document):
    assert document["verdict"] == "clean" and not document["findings"], json.dumps(document.get("findings"), indent=1)
    return "\n".join(plan["listing"] for plan in document["plans"])


def variant(text, *replacements):
    """The published script with pieces replaced, as a file in a folder that lives as long as the process."""
    for old, new in replacements:
        assert old in text, old
        text = text.replace(old, new)
    folder = tempfile.mkdtemp()
    path = Path(folder, "variant.py")
    path.write_text(text, encoding="utf-8")
    return path


def seed():
    if not SEED.exists():
        raise tap.Skip("the published script is not here")
    return SEED


def smaller(text):
    return [("token_num = 864", "token_num = 48"), ("expert_num = 2048", "expert_num = 256"), ("top_k = 1024", "top_k = 64")]


def the_published_script_runs():
    out, _ = skv("run", seed())
    assert "Precision ====== Success!!!" in out, out


def the_published_script_is_verified():
    out, document = skv("verify", seed())
    assert "Precision ====== Success!!!" in out, out
    listing = clean(document)
    assert "sp1" in listing and "moe_gating_top_k_softmax" in listing, listing


def published_with_all_cores_per_operator():
    text = seed().read_text(encoding="utf-8")
    script = variant(text, *smaller(text), ('"super_kernel_optimize": True}', '"super_kernel_optimize": True, '
                     '"super_kernel_debug_options": {"debug_per_op_max_core_num": 1}}'))
    out, document = skv("verify", script)
    assert "Precision ====== Success!!!" in out, out
    assert "moe_gating_top_k_softmax" in clean(document)


def published_with_two_operators_in_the_scope():
    text = seed().read_text(encoding="utf-8")
    end = '            torch.npu.super_kernel_scope_end("sp1")\n'
    first, second = text.split(end)
    second = second.replace("            return dynamic_quant_res, moe_gating_res\n", end + "            return dynamic_quant_res, moe_gating_res\n", 1)
    script = variant(first + second, *smaller(text))
    out, document = skv("verify", script)
    assert "Precision ====== Success!!!" in out, out
    listing = clean(document)
    assert "end_dynamic_quant" in listing, listing


def example(name, *arguments, verb="verify"):
    out, document = skv(verb, EXAMPLES / f"{name}.py", *arguments)
    assert "DIFFERENT" not in out and "equal" in out, out
    return out, document


def verify_npugraph_ex_is_clean():
    out, document = example("verify_npugraph_ex")
    assert "Precision ====== Success!!!" in out, out
    assert "gating" in clean(document)


def full_cores_is_clean():
    clean(example("full_cores")[1])


def several_operators_is_clean():
    clean(example("several_operators")[1])


def own_operator_is_clean():
    listing = clean(example("own_operator", str(OWN_OPERATOR))[1])
    assert "squared_relu" in listing and "alone" in listing, listing


def own_operator_tells_how_it_is_called():
    done = frontend.run(EXAMPLES / "own_operator.py", folder=os.getcwd())
    assert done.returncode == 1 and "usage:" in done.stderr, done


if __name__ == "__main__":
    sys.exit(tap.run([the_published_script_runs, the_published_script_is_verified, published_with_all_cores_per_operator,
                      published_with_two_operators_in_the_scope, verify_npugraph_ex_is_clean, full_cores_is_clean,
                      several_operators_is_clean, own_operator_is_clean, own_operator_tells_how_it_is_called]))
