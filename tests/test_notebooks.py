"""The notebooks are executed, nothing in them failed, and what they show still follows."""

from __future__ import annotations

import ast
import io
import json
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from godseed.mind.backends.model_files import find_model, sha256_of
from godseed.sim.feature import Feature
from godseed.sim.world import World

NAMES = ("first-wish",)
DRAWING = "from IPython.display import"


def cells(root: Path, name: str) -> list[dict[str, Any]]:
    path = root / "notebooks" / f"{name}.ipynb"
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in found if cell["cell_type"] == "code"]


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def printed(cell: dict[str, Any]) -> str:
    """What a cell printed, and the value of its last line."""
    told = []
    for output in cell["outputs"]:
        text = output.get("text") or output.get("data", {}).get("text/plain", "")
        told.append("".join(text))
    return "".join(told)


@pytest.mark.parametrize("name", NAMES)
def test_notebook_was_executed_from_top_to_bottom(repo_root: Path, name: str) -> None:
    found = cells(repo_root, name)
    assert [cell["execution_count"] for cell in found] == list(range(1, len(found) + 1))
    kinds = [output["output_type"] for cell in found for output in cell["outputs"]]
    assert "error" not in kinds
    pictures = [
        output
        for cell in found
        for output in cell["outputs"]
        if "image/jpeg" in output.get("data", {})
    ]
    assert len(pictures) >= 2


def test_first_wish_shows_the_model_that_is_installed(repo_root: Path) -> None:
    shown = "".join(printed(cell) for cell in cells(repo_root, "first-wish"))
    assert sha256_of(find_model("default")) in shown


def test_first_wish_shows_the_world_that_its_features_make(repo_root: Path) -> None:
    found = cells(repo_root, "first-wish")
    world = World.genesis().granted("w_000001")
    told = next(printed(cell) for cell in found if "feature.id" in source(cell))
    rows = re.findall(r"^(f_\d+) (\w+) (\{.*\})$", told, flags=re.MULTILINE)
    assert rows
    for index, (number, tool, args) in enumerate(rows):
        call = {"tool": tool, "args": json.loads(json.dumps(ast.literal_eval(args)))}
        applied = world.apply(call, "w_000001", index, 0.0)
        assert isinstance(applied.feature, Feature)
        assert applied.feature.id == number
        world = applied.world
    assert ast.literal_eval(printed(found[-1])) == world.digest


def test_first_wish_says_the_same_again(repo_root: Path, full: bool) -> None:
    """All of it under --full; else what needs no model."""
    found = cells(repo_root, "first-wish")
    scope: dict[str, Any] = {}
    for cell in found[: len(found) if full else 1]:
        if DRAWING in source(cell) or source(cell).startswith("draw("):
            continue
        *before, last = ast.parse(source(cell)).body
        heard = io.StringIO()
        with redirect_stdout(heard):
            exec(compile(ast.Module(before, []), "notebook", "exec"), scope)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), "notebook", "eval"), scope)
                shown = "" if value is None else repr(value)
            else:
                exec(compile(ast.Module([last], []), "notebook", "exec"), scope)
                shown = ""
        if "identity" not in source(cell):
            assert (heard.getvalue() + shown).split() == printed(cell).split()
