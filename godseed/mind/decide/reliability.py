"""The reliability diagram of a report: how often answers of a given certainty are right."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from godseed.mind.backends import MissingError
from godseed.mind.decide.errors import InputError

FORMATS = (".svg", ".png")
INK, GOLD, VIOLET, PAPER, FAINT = "#20180f", "#b98a2f", "#6a4fa3", "#fffdf8", "#d9d0bf"
_STYLE: Any = {
    "svg.hashsalt": "godseed",
    "svg.fonttype": "path",
    "font.family": "DejaVu Serif",
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "axes.linewidth": 0.8,
    "xtick.color": INK,
    "ytick.color": INK,
    "figure.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "savefig.facecolor": PAPER,
}


def draw_reliability(report: Mapping[str, Any], path: Path) -> None:
    """Draw the diagram; the same report always gives the same file.

    Args:
        report: of `report.report_of`, with labels.
        path: ends in .svg or .png.
    Raises:
        InputError: the report has no labelled rows, or the ending is another one.
        MissingError: matplotlib is not installed.
    """
    bins, overall = report["reliability"], report["overall"]
    if not bins or not overall:
        raise InputError("plot", "no labelled rows; expected some; add a label to each row")
    if path.suffix.lower() not in FORMATS:
        raise InputError(str(path), f"ends in {path.suffix!r}; expected .svg or .png; rename it")
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingError(
            "plot: matplotlib is not installed; expected it for diagrams; "
            "run: pip install 'godseed[plot]'"
        ) from None
    held = [item for item in bins if item["rows"]]
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(4.8, 5.6), layout="constrained")
        upper, lower = figure.subplots(2, 1, height_ratios=(4, 1), sharex=True)
        _draw_bins(upper, held)
        upper.set_title(_title(overall), loc="left", fontsize=10)
        middles = [(item["low"] + item["high"]) / 2 for item in held]
        lower.bar(middles, [item["rows"] for item in held], width=0.086, color=FAINT)
        lower.set_xlim(0.0, 1.0)
        lower.set_xlabel("probability of the chosen option")
        lower.set_ylabel("rows")
        for axes in (upper, lower):
            axes.spines[["top", "right"]].set_visible(False)
        metadata = {"Date": None} if path.suffix.lower() == ".svg" else {"Software": None}
        figure.savefig(path, dpi=150, metadata=metadata)


def _draw_bins(axes: Any, held: list[Mapping[str, Any]]) -> None:
    """Bars of accuracy, the gap to confidence, and the diagonal on which both agree."""
    axes.plot([0, 1], [0, 1], color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    for item in held:
        middle = (item["low"] + item["high"]) / 2
        axes.bar(middle, item["accuracy"], width=0.086, color=GOLD, alpha=0.85)
        axes.plot(
            [item["confidence"]] * 2,
            sorted((item["accuracy"], item["confidence"])),
            color=VIOLET,
            linewidth=1.2,
        )
        axes.plot(
            item["confidence"], item["accuracy"], "o", color=VIOLET, markersize=5, clip_on=False
        )
    axes.set_ylim(0.0, 1.02)
    axes.set_ylabel("share of right answers")
    axes.text(0.03, 0.955, "violet: distance from the diagonal", fontsize=8, color=VIOLET)


def _title(overall: Mapping[str, Any]) -> str:
    return (
        f"{overall['rows']} rows: accuracy {overall['accuracy']:.3f}, "
        f"ECE {overall['ece']:.3f}, NLL {overall['nll']:.3f}"
    )
