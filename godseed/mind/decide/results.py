"""Results: one line of JSONL per decided row, on disk before the next row is asked.

A killed run goes on where it was, and what it goes on from is checked: the same question, model and
settings, or an error.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from godseed.mind.decide.decider import Decider, Decision
from godseed.mind.decide.errors import InputError
from godseed.mind.decide.rows import Row, json_object
from godseed.sim.line_file import LineFile, split_lines

LARGEST = 1e30
"""No log-probability or temperature is beyond it, and it can be squared."""
COLDEST = 1e-3
_TEXTS = ("label", "family", "model", "prompt_version", "method")


def result_of(row: Row, decision: Decision, model: str) -> dict[str, Any]:
    """The row of a decision, ready for JSON; keys are those of the bridge, then our own.

    Args:
        model: `model_key` of the runtime that decided.
    """
    found: dict[str, Any] = {
        "id": row.id,
        "option_ids": list(decision.option_ids),
        "probabilities": list(decision.probabilities),
        "option_logprobs": list(decision.option_logprobs),
        "input_tokens": decision.input_tokens,
        "prompt_sha256": decision.prompt_sha256,
        "prompt_version": decision.prompt_version,
        "choice": decision.choice,
        "confidence": decision.confidence,
        "answer_mass": decision.mass,
        "method": decision.method,
        "temperature": decision.temperature,
        "model": model,
        "row_sha256": row.sha256,
    }
    if len(decision.prompts_sha256) > 1:
        found["prompts_sha256"] = list(decision.prompts_sha256)
    if decision.independent is not None:
        found["independent_probabilities"] = list(decision.independent)
    if decision.flipped is not None:
        found["flipped"] = decision.flipped
    for name, value in (("label", row.label), ("family", row.family)):
        if value is not None:
            found[name] = value
    return found


def model_key(identity: Mapping[str, Any]) -> str:
    """A runtime's identity as one line: equal keys, same numbers."""
    return json.dumps(dict(identity), ensure_ascii=False, sort_keys=True, default=str)


def read_results(data: bytes, where: str) -> list[dict[str, Any]]:
    """Result rows of a JSONL file, as they were written.

    Raises:
        InputError: the first line that is not a result row; or there is none.
    """
    found = list(_results(data.split(b"\n"), where))
    if not found:
        raise InputError(where, "no rows; expected results of 'decide rows'; make some")
    return found


class ResultFile:
    """The results of a run: what is finished, and where the next line goes."""

    def __init__(self, path: Path) -> None:
        """Open a file for more results; a torn last line is set aside.

        Raises:
            InputError: it holds something else.
            LogLockedError: another process writes to it.
        """
        data = path.read_bytes() if path.exists() else b""
        lines, tail = split_lines(data)
        self.torn: Path | None = None
        if tail and not _whole(tail):
            found = list(_results(lines, str(path)))
        else:
            found = list(_results([*lines, tail], str(path)))
        self._file = LineFile(path)
        if tail and not _whole(tail):
            self.torn = self._file.set_aside(len(data) - len(tail))
        self.finished: dict[str, dict[str, Any]] = {row["id"]: row for row in found}

    def kept(self, row: Row, decider: Decider, model: str) -> bool:
        """Whether a row is finished already.

        Args:
            decider, model: of this run.
        Raises:
            InputError: it was finished with another question, model or setting.
        """
        old = self.finished.get(row.id)
        if old is None:
            return False
        wanted = {
            "row_sha256": row.sha256,
            "label": row.label,
            "family": row.family,
            "model": model,
            "prompt_version": decider.prompt_version,
            "method": decider.method,
            "temperature": decider.temperature,
        }
        changed = [name for name, value in wanted.items() if old.get(name) != value]
        if decider.flips != ("flipped" in old):
            changed.append("--flip")
        if changed:
            raise InputError(
                f"{self._file.path} row {row.id!r}",
                f"was decided with another {changed[0]}; expected the run that wrote this file; "
                "write to a new one",
            )
        return True

    def append(self, result: Mapping[str, Any]) -> None:
        """Put a result on disk.

        Raises:
            OSError: the disk is full or failing; the file is as it was.
        """
        self._file.append(json.dumps(result, ensure_ascii=False, allow_nan=False).encode())
        self.finished[result["id"]] = dict(result)

    def close(self) -> None:
        """Release the file."""
        self._file.close()


def _results(lines: Sequence[bytes], where: str) -> Iterator[dict[str, Any]]:
    """Result rows whose fields can be reckoned with; derived ones are not believed."""
    seen: set[str] = set()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        place = f"{where}:{number}"
        row = json_object(line, place)
        ids, found = row.get("option_ids"), row.get("option_logprobs")
        if not isinstance(row.get("id"), str) or not isinstance(ids, list) or found is None:
            raise InputError(
                place,
                "no id, option_ids and option_logprobs; expected a result of 'decide rows'; "
                "name another file",
            )
        texts = bool(ids) and all(isinstance(name, str) for name in ids)
        if not texts or not isinstance(found, list) or len(ids) != len(found):
            raise InputError(
                place, "option_ids and option_logprobs differ in length; expected one each; redo it"
            )
        for name, fits in _fitness(row, found).items():
            if not fits:
                raise InputError(
                    f"{place} {name}", f"{_short(row[name])}; expected what was written; redo it"
                )
        if row["id"] in seen:
            raise InputError(place, f"id {row['id']!r} twice; expected ids that differ; drop one")
        seen.add(row["id"])
        yield row


def _fitness(row: Mapping[str, Any], found: Sequence[Any]) -> dict[str, bool]:
    """Per field that is there whether it is of the kind that was written."""
    tests = {
        "option_logprobs": all(map(_real, found)),
        "temperature": _real(row.get("temperature", 1)) and row.get("temperature", 1) >= COLDEST,
        "answer_mass": _real(row.get("answer_mass", 1)),
        "input_tokens": isinstance(row.get("input_tokens", 0), int)
        and _real(row.get("input_tokens", 0)),
        "flipped": isinstance(row.get("flipped", False), bool),
        **{name: isinstance(row.get(name, ""), str) for name in _TEXTS},
    }
    return {name: fits for name, fits in tests.items() if name in row}


def _real(value: Any) -> bool:
    """Whether a JSON value is a number to reckon with."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and -LARGEST <= value <= LARGEST


def _short(value: Any) -> str:
    told = repr(value)
    return told if len(told) <= 80 else f"{told[:80]} ..."


def _whole(line: bytes) -> bool:
    try:
        json_object(line, "")
    except InputError:
        return False
    return True
