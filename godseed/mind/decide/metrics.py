"""How good decisions are, from labelled result rows: accuracy, calibration, and what order does.

Everything here is worked out from `option_ids`, `option_logprobs`, `temperature`, `label` and
`flipped` of a row, never from its rounded or derived fields.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from godseed.mind.decide.errors import InputError
from godseed.mind.decide.scoring import answer_index, log_softmax

BINS = 10


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled row, reduced to what metrics need.

    Attributes:
        id, family: of the row; the family is "" if it has none.
        label, choice: the right option and the chosen one.
        top: probability of the chosen option.
        nll: negative log-likelihood of the right option, nats.
        brier: squared distance of the probabilities from the label, in [0, 2].
    """

    id: str
    family: str
    label: str
    choice: str
    top: float
    nll: float
    brier: float

    @property
    def right(self) -> bool:
        """Whether the chosen option is the right one."""
        return self.label == self.choice


def judge(row: Mapping[str, Any]) -> Judged:
    """Judge one labelled row.

    Raises:
        InputError: its label is not an option of it, or a number is not finite.
    """
    ids, label = row["option_ids"], row["label"]
    if label not in ids:
        raise InputError(
            f"row {row['id']!r} label", f"{label!r}; expected one of {ids}; correct it"
        )
    try:
        scores = np.asarray(row["option_logprobs"], dtype=np.float64)
        logs = log_softmax(scores / float(row.get("temperature", 1.0)))
    except (TypeError, ValueError, ZeroDivisionError) as error:
        raise InputError(f"row {row['id']!r}", f"{error}; expected numbers; redo it") from None
    probabilities = np.exp(logs)
    place = ids.index(label)
    truth = np.zeros(len(ids))
    truth[place] = 1.0
    best = answer_index(scores)
    return Judged(
        id=row["id"],
        family=str(row.get("family") or ""),
        label=label,
        choice=ids[best],
        top=float(probabilities[best]),
        nll=-float(logs[place]),
        brier=float(((probabilities - truth) ** 2).sum()),
    )


def metrics(rows: Sequence[Judged]) -> dict[str, Any]:
    """Figures of some labelled rows.

    Returns:
        `rows`, `accuracy`, `balanced_accuracy` (mean recall over the labels that occur), `nll`
        (nats), `brier` (all options), `brier_top` (the chosen option alone), `ece` (expected
        calibration error over 10 bins), `mean_confidence` (probability of the chosen option).
    """
    hits = [float(row.right) for row in rows]
    return {
        "rows": len(rows),
        "accuracy": _mean(hits),
        "balanced_accuracy": balanced_accuracy(rows),
        "nll": _mean([row.nll for row in rows]),
        "brier": _mean([row.brier for row in rows]),
        "brier_top": _mean([(row.top - hit) ** 2 for row, hit in zip(rows, hits, strict=True)]),
        "ece": expected_calibration_error(reliability(rows)),
        "mean_confidence": _mean([row.top for row in rows]),
    }


def balanced_accuracy(rows: Sequence[Judged]) -> float:
    """Mean over the labels that occur of how many of their rows are right."""
    labels = sorted({row.label for row in rows})
    return _mean([_mean([float(r.right) for r in rows if r.label == label]) for label in labels])


def reliability(rows: Sequence[Judged]) -> list[dict[str, Any]]:
    """Per bin of confidence: `low`, `high`, `rows`, `confidence`, `accuracy` (None if empty).

    A bin holds what is above its lower edge and not above its upper one; the first holds 0 too.
    """
    bins: list[list[Judged]] = [[] for _ in range(BINS)]
    for row in rows:
        bins[max(int(np.ceil(row.top * BINS)) - 1, 0)].append(row)
    return [
        {
            "low": place / BINS,
            "high": (place + 1) / BINS,
            "rows": len(held),
            "confidence": _mean([row.top for row in held]) if held else None,
            "accuracy": _mean([float(row.right) for row in held]) if held else None,
        }
        for place, held in enumerate(bins)
    ]


def expected_calibration_error(bins: Sequence[Mapping[str, Any]]) -> float:
    """Mean distance of confidence from accuracy, bins weighted by their rows."""
    total = sum(held["rows"] for held in bins)
    gaps = [
        held["rows"] / total * abs(held["confidence"] - held["accuracy"])
        for held in bins
        if held["rows"]
    ]
    return float(sum(gaps))


def flips(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """How many answers change when the options are reversed; None if no row was asked twice."""
    asked = [row for row in rows if row.get("flipped") is not None]
    if not asked:
        return None
    turned = [row["id"] for row in asked if row["flipped"]]
    return {
        "rows": len(asked),
        "flipped": len(turned),
        "rate": len(turned) / len(asked),
        "ids": turned,
    }


def _mean(values: Sequence[float]) -> float:
    return float(sum(values) / len(values))
