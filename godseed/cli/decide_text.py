"""How decisions and their reports read on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from godseed.cli.output import one_line
from godseed.mind.decide.decider import Decision

_FIGURES = ("rows", "accuracy", "balanced_accuracy", "nll", "brier", "brier_top", "ece")
_HEADS = ("rows", "accuracy", "balanced", "nll", "brier", "brier top", "ece")
_BAR = 30


def decision_lines(decision: Decision) -> Iterator[str]:
    """Each option with its probability, the chosen one marked; then what to know about it."""
    width = max(len(one_line(name)) for name in decision.option_ids)
    for place, name in enumerate(decision.option_ids):
        share = decision.probabilities[place]
        mark = "*" if name == decision.choice else " "
        line = f"{mark} {one_line(name):<{width}}  {share:.4f}  {'█' * round(share * _BAR)}"
        if decision.independent is not None:
            line = f"{line:<{width + 12 + _BAR}}  alone {decision.independent[place]:.4f}"
        yield line.rstrip()
    facts = f"confidence {decision.confidence:.4f}  answer mass {decision.mass:.4f}"
    if decision.flipped is not None:
        facts += f"  reversed {'another answer' if decision.flipped else 'the same answer'}"
    yield facts
    yield f"{decision.prompt_version}  {decision.input_tokens} tokens  {decision.prompt_sha256}"


def report_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """The figures as a table, families below the whole."""
    yield f"{report['rows']} rows, {report['labelled']} labelled, {report['input_tokens']} tokens"
    groups: dict[str, Mapping[str, Any]] = dict(report["families"])
    if report["overall"]:
        groups = {"all": report["overall"], **groups}
        width = max(len(one_line(name)) for name in groups)
        yield f"{'':<{width}}" + "".join(f"{head:>11}" for head in _HEADS)
        for name, figures in groups.items():
            cells = (figures[key] for key in _FIGURES)
            yield f"{one_line(name):<{width}}" + "".join(
                f"{value:>11}" if isinstance(value, int) else f"{value:>11.4f}" for value in cells
            )
    if report["mean_family_balanced_accuracy"] is not None:
        yield f"mean balanced accuracy of families  {report['mean_family_balanced_accuracy']:.4f}"
    if report["flips"]:
        told = report["flips"]
        yield f"reversed options change {told['flipped']} of {told['rows']} answers"
