"""
Runs the notebooks and compares what their cells give with what they show: ``python3 python/notebooks/make.py``. With ``--renew`` what
they give is written into them. The standard library alone: a cell is run as Python runs an interactive one.
"""

import ast
import contextlib
import io
import json
import re
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent


def outputs_of(source, names):
    """What a notebook shows below a cell."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    said = io.StringIO()
    value = None
    with contextlib.redirect_stdout(said):
        exec(compile(tree, "cell", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    outputs = []
    if said.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines(said.getvalue())})
    if value is not None:
        data = {"text/plain": lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = lines(value._repr_html_())
        outputs.append({"data": data, "metadata": {}, "output_type": "execute_result"})
    return outputs


def lines(text):
    return text.splitlines(keepends=True)


def comparable(outputs):
    """Outputs to the six digits that no improvement of an account changes, without pictures, which the tests of plots are about."""
    text = json.dumps([{**each, "execution_count": None} for each in outputs], sort_keys=True)
    text = re.sub(r"<svg.*?</svg>", "<svg>", text)
    return re.sub(r"\d+\.\d+(?:e-?\d+)?", lambda number: f"{float(number[0]):.6g}", text)


def run(path, renew):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    names = {"__name__": "__main__"}
    stale = []
    for count, cell in enumerate((each for each in notebook["cells"] if each["cell_type"] == "code"), 1):
        outputs = outputs_of("".join(cell["source"]), names)
        for each in outputs:
            if each["output_type"] == "execute_result":
                each["execution_count"] = count
        if comparable(outputs) != comparable(cell["outputs"]):
            stale.append(f"{path.name}, cell {count}: it gives\n{comparable(outputs)[:1000]}\nand shows\n{comparable(cell['outputs'])[:1000]}")
        cell["outputs"], cell["execution_count"] = outputs, count
    if renew:
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
        return []
    return stale


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))
    warnings.simplefilter("error")
    found = [each for path in sorted(HERE.glob("*.ipynb")) for each in run(path, "--renew" in sys.argv)]
    sys.exit("\n".join(found) or 0)
