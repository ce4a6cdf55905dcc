"""Temperature calibration: one number that makes a model's certainty fit its hits.

A temperature above 1 says that the model is too sure. It is fitted on labelled rows by least
negative log-likelihood and bound to the model, the prompt version and the method: with any other of
these it is refused, since it would mean nothing.

Source: Guo et al., On Calibration of Modern Neural Networks, 2017, section 4.2.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from godseed.mind.decide.errors import InputError
from godseed.mind.decide.rows import json_object
from godseed.mind.decide.scoring import log_softmax, softmax

COLDEST, HOTTEST = 0.05, 20.0
"""Outside of these the fit says nothing: all rows right, or no better than chance."""
FEWEST_ROWS = 8
BOUND: Final = ("model", "prompt_version", "method")
_STEPS = 80


@dataclass(frozen=True, slots=True)
class Calibration:
    """A fitted temperature and what it is bound to.

    Attributes:
        temperature: divides the log-probabilities.
        model, prompt_version, method: as in the rows that it was fitted on.
        rows: how many labelled rows.
        nll_before, nll_after: mean negative log-likelihood of the labels, nats.
    """

    temperature: float
    model: str
    prompt_version: str
    method: str
    rows: int
    nll_before: float
    nll_after: float

    @property
    def at_bound(self) -> bool:
        """Whether the fit ran into an end of its range: then it says nothing about certainty."""
        return not COLDEST * 1.001 < self.temperature < HOTTEST * 0.999

    def check(self, model: str, prompt_version: str, method: str) -> None:
        """Refuse to be used for anything else.

        Raises:
            InputError: what differs.
        """
        found = {"model": model, "prompt_version": prompt_version, "method": method}
        for name in BOUND:
            if getattr(self, name) != found[name]:
                raise InputError(
                    f"calibration {name}",
                    f"{found[name]!r}; expected {getattr(self, name)!r}, on which it was fitted; "
                    "calibrate again with 'godseed decide calibrate'",
                )


def fit(rows: Sequence[Mapping[str, Any]]) -> Calibration:
    """Fit the temperature on result rows with labels.

    Raises:
        InputError: too few labels, or rows of several models, versions or methods.
    """
    labelled = [row for row in rows if row.get("label") is not None]
    if len(labelled) < FEWEST_ROWS:
        raise InputError(
            "calibration",
            f"{len(labelled)} labelled rows; expected at least {FEWEST_ROWS}; label more",
        )
    bound: dict[str, str] = {}
    for name in BOUND:
        values = {str(row.get(name)) for row in labelled}
        if len(values) > 1:
            raise InputError(
                f"calibration {name}",
                f"{len(values)} different ones; expected rows of one run; calibrate them apart",
            )
        bound[name] = values.pop()
    scores = [np.asarray(row["option_logprobs"], dtype=np.float64) for row in labelled]
    places = [_place(row) for row in labelled]
    temperature = 1.0 / _inverse_temperature(scores, places)
    return Calibration(
        temperature=temperature,
        **bound,
        rows=len(labelled),
        nll_before=mean_nll(scores, places, 1.0),
        nll_after=mean_nll(scores, places, temperature),
    )


def mean_nll(scores: Sequence[Any], places: Sequence[int], temperature: float) -> float:
    """Mean negative log-likelihood of the right options, nats.

    Args:
        scores: per row, log-probabilities of its options.
        places: per row, index of the right option.
    """
    found = [
        -float(log_softmax(row / temperature)[place])
        for row, place in zip(scores, places, strict=True)
    ]
    return sum(found) / len(found)


def save(calibration: Calibration, path: Path) -> None:
    """Write a calibration as JSON."""
    path.write_text(json.dumps(asdict(calibration), ensure_ascii=False, indent=2) + "\n", "utf-8")


def load(path: Path) -> Calibration:
    """Read a calibration.

    Raises:
        InputError: it is not one.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(
            str(path), f"{error.strerror}; expected a calibration; check the name"
        ) from None
    value = json_object(data, str(path))
    try:
        found = Calibration(**value)
        usable = 0.0 < float(found.temperature) < float("inf")
    except (TypeError, ValueError):
        usable = False
    if not usable:
        raise InputError(
            str(path), "no calibration; expected one of 'godseed decide calibrate'; make it again"
        )
    return found


def _place(row: Mapping[str, Any]) -> int:
    ids: list[str] = row["option_ids"]
    if row["label"] not in ids:
        raise InputError(
            f"row {row['id']!r} label", f"{row['label']!r}; expected one of {ids}; correct it"
        )
    return ids.index(row["label"])


def _inverse_temperature(scores: Sequence[Any], places: Sequence[int]) -> float:
    """Where the likelihood is greatest: its slope in 1/T only falls, so halving finds the zero."""
    low, high = 1.0 / HOTTEST, 1.0 / COLDEST
    for _ in range(_STEPS):
        middle = 0.5 * (low + high)
        slope = 0.0
        for row, place in zip(scores, places, strict=True):
            slope += float(row[place] - (softmax(row * middle) * row).sum())
        if slope >= 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
