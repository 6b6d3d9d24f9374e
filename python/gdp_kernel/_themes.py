"""A cell of a notebook, in the notebook's theme and not the system's."""

from __future__ import annotations

import re
from html import escape
from typing import Iterable, Tuple

__all__ = ["cell", "themed"]

#: Where a notebook is dark: JupyterLab and Notebook, Visual Studio Code, Colab.
_DARK = ':is([data-jp-theme-light="false"],.vscode-dark,html[theme="dark"])'


def themed(svg: str) -> str:
    """A picture whose dark colours follow the notebook around it."""
    return re.sub(r"@media screen and \(prefers-color-scheme:\s*dark\)\s*\{((?:[^{}]*\{[^{}]*\})*)\s*\}", _within, svg)


def _within(rules: "re.Match[str]") -> str:
    return re.sub(r"([^{}]+)(\{[^{}]*\})", lambda rule: f"{_all(rule[1])}{rule[2]}", rules[1])


def _all(selectors: str) -> str:
    return ",".join(f"{_DARK} {each.strip()}" for each in selectors.split(","))


def cell(title: str, rows: Iterable[Tuple[str, str]], svg: str) -> str:
    """A table, and a picture below it."""
    cells = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows)
    return f"<div><code>{escape(title)}</code><table>{cells}</table>{themed(svg)}</div>"
