"""Reports on result rows, and `verify`, which works a report out again and refuses a mismatch."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from godseed.mind.decide.errors import InputError
from godseed.mind.decide.metrics import flips, judge, metrics, reliability
from godseed.mind.decide.results import LARGEST, read_results
from godseed.mind.decide.scoring import answer_index, confidence, sigmoid, softmax

REPORT_VERSION = "godseed-decisions-report-v1"
_MOST_SHOWN = 40


def report_of(data: bytes, where: str) -> dict[str, Any]:
    """The report on a file of result rows; the same bytes always give the same report.

    Returns:
        `report_version`, `rows_sha256`, `rows`, `labelled`, what the rows say of their making
        (`models`, `prompt_versions`, `methods`, `temperatures`), `overall`, `families`,
        `mean_family_balanced_accuracy`, `reliability`, `flips`, `input_tokens`, `smallest_mass`.
        The parts that need labels are None without any.
    Raises:
        InputError: the file is not one of result rows.
    """
    rows = read_results(data, where)
    judged = [judge(row) for row in rows if row.get("label") is not None]
    names = sorted({one.family for one in judged if one.family})
    families = {name: metrics([one for one in judged if one.family == name]) for name in names}
    balanced = [family["balanced_accuracy"] for family in families.values()]
    masses = [row["answer_mass"] for row in rows if "answer_mass" in row]
    return {
        "report_version": REPORT_VERSION,
        "rows_sha256": hashlib.sha256(data).hexdigest(),
        "rows": len(rows),
        "labelled": len(judged),
        "models": _values(rows, "model"),
        "prompt_versions": _values(rows, "prompt_version"),
        "methods": _values(rows, "method"),
        "temperatures": _values(rows, "temperature"),
        "overall": metrics(judged) if judged else None,
        "families": families,
        "mean_family_balanced_accuracy": sum(balanced) / len(balanced) if balanced else None,
        "reliability": reliability(judged) if judged else None,
        "flips": flips(rows),
        "input_tokens": sum(int(row.get("input_tokens", 0)) for row in rows),
        "smallest_mass": min(masses) if masses else None,
    }


def verify(
    report: Mapping[str, Any], data: bytes, where: str, tolerance: float = 1e-9
) -> list[str]:
    """What of a report, or of a row's own derived fields, does not follow from the rows.

    Args:
        report: as `report_of` made it.
        data, where: the rows.
        tolerance: largest difference of two numbers; the caller's, never the report's.
    Returns:
        One line per difference, empty if everything holds.
    Raises:
        InputError: not a report of this version, the rows cannot be read, or a bad tolerance.
    """
    if not 0.0 <= tolerance < math.inf:
        raise InputError("tolerance", f"{tolerance}; expected 0 or more; try 1e-9")
    if report.get("report_version") != REPORT_VERSION:
        raise InputError(
            "report",
            f"version {report.get('report_version')!r}; expected {REPORT_VERSION!r}; "
            "make it with 'godseed decide report'",
        )
    found = [line for row in read_results(data, where) for line in _row_faults(row, tolerance)]
    found.extend(_differences(report, report_of(data, where), "report", tolerance))
    if len(found) > _MOST_SHOWN:
        found[_MOST_SHOWN:] = [f"... and {len(found) - _MOST_SHOWN} more"]
    return found


def _row_faults(row: Mapping[str, Any], tolerance: float) -> Iterator[str]:
    """Derived fields of a row that do not follow from its log-probabilities."""
    where = f"row {row['id']!r}"
    temperature = row.get("temperature", 1.0)
    usable = isinstance(temperature, int | float) and 0.0 < temperature < math.inf
    if not usable or not all(map(math.isfinite, row["option_logprobs"])):
        yield f"{where}: temperature or option_logprobs are no usable numbers"
        return
    scaled = np.asarray(row["option_logprobs"], dtype=np.float64) / float(temperature)
    shares = softmax(scaled)
    expected: dict[str, Any] = {
        "probabilities": shares.tolist(),
        "choice": row["option_ids"][answer_index(scaled)],
        "confidence": confidence(shares),
    }
    if "independent_probabilities" in row:
        expected["independent_probabilities"] = sigmoid(scaled).tolist()
    for name, value in expected.items():
        if name in row:
            yield from _differences(row[name], value, f"{where}.{name}", tolerance)


def _differences(stated: Any, found: Any, where: str, tolerance: float) -> Iterator[str]:
    """Where two JSON values differ by more than the tolerance."""
    if isinstance(found, dict) and isinstance(stated, Mapping):
        for name in sorted(found.keys() | stated.keys()):
            if name not in stated or name not in found:
                yield f"{where}.{name}: {'missing' if name not in stated else 'not expected'}"
            else:
                yield from _differences(stated[name], found[name], f"{where}.{name}", tolerance)
    elif isinstance(found, list) and isinstance(stated, list):
        if len(found) != len(stated):
            yield f"{where}: {len(stated)} items; the rows give {len(found)}"
            return
        for place, (one, other) in enumerate(zip(stated, found, strict=True)):
            yield from _differences(one, other, f"{where}[{place}]", tolerance)
    elif _number(found) and _number(stated):
        if not abs(stated - found) <= tolerance:
            yield f"{where}: {stated!r}; the rows give {found!r}"
    elif stated != found or isinstance(stated, bool) != isinstance(found, bool):
        yield f"{where}: {stated!r}; the rows give {found!r}"


def _number(value: Any) -> bool:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return plain and -LARGEST <= value <= LARGEST


def _values(rows: Sequence[Mapping[str, Any]], name: str) -> list[Any]:
    """Different values of a field, in order of appearance."""
    found: list[Any] = []
    for row in rows:
        if name in row and row[name] not in found:
            found.append(row[name])
    return found
