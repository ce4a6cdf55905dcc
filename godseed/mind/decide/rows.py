"""Rows: questions in JSONL, decisions out, resumable.

In: `id, state, question, options: [{id, description}]`, and optionally `label` (the id of the right
option) and `family` (a group for reports). Other fields are left alone. Out: one line per answered
row, written and flushed before the next one is asked, so that a killed run goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from godseed.mind.decide.contract import Contract, Option, check_options, json_text
from godseed.mind.decide.decider import Decider, Decision
from godseed.mind.decide.errors import InputError
from godseed.sim.line_file import LineFile, split_lines

_TEXTS = ("id", "question")


@dataclass(frozen=True, slots=True)
class Row:
    """One question about one state.

    Attributes:
        id: names it; no two rows of a file share one.
        state: the evidence, any JSON value.
        question: the criterion.
        options: in order.
        label: id of the right option, or None.
        family: which kind of question it is, or None.
    """

    id: str
    state: Any
    question: str
    options: tuple[Option, ...]
    label: str | None = None
    family: str | None = None

    @property
    def sha256(self) -> str:
        """Digest of what is asked: state, question and options, as the contract writes them."""
        told = [
            json_text(self.state),
            json_text(self.question, "question"),
            json_text([[option.id, option.description] for option in self.options], "options"),
        ]
        return hashlib.sha256("\n".join(told).encode()).hexdigest()


def read_rows(data: bytes, where: str, contract: Contract = "direct") -> list[Row]:
    """Rows of a JSONL file; empty lines are left out.

    Args:
        data: the file's bytes, UTF-8.
        where: names the file in errors.
    Raises:
        InputError: the first line that cannot be used, by number; or there is none.
    """
    rows: list[Row] = []
    seen: dict[str, int] = {}
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        place = f"{where}:{number}"
        row = parse_row(json_object(line, place), place, contract)
        if row.id in seen:
            raise InputError(
                place,
                f"id {row.id!r} as in line {seen[row.id]}; expected ids that differ; rename one",
            )
        seen[row.id] = number
        rows.append(row)
    if not rows:
        raise InputError(where, "no rows; expected a JSON object a line; add one")
    return rows


def parse_row(value: Mapping[str, Any], where: str, contract: Contract = "direct") -> Row:
    """A row from its JSON object.

    Raises:
        InputError: a field is missing, of the wrong kind, or cannot be shown to a model.
    """
    for name in (*_TEXTS, "state", "options"):
        if name not in value:
            raise InputError(where, f"no {name!r}; expected id, state, question, options; add it")
    for name in _TEXTS:
        if not isinstance(value[name], str) or not value[name]:
            raise InputError(f"{where} {name}", f"{value[name]!r}; expected text; give some")
    if value["state"] in (None, "", [], {}):
        raise InputError(f"{where} state", f"{value['state']!r}; expected evidence; give some")
    if not isinstance(value["options"], list):
        raise InputError(f"{where} options", "no list; expected [{id, description}, ...]; mend it")
    options = tuple(_option(item, f"{where} options") for item in value["options"])
    row = Row(
        value["id"],
        value["state"],
        value["question"],
        options,
        _optional(value, "label", where),
        _optional(value, "family", where),
    )
    try:
        check_options(options, contract)
        json_text(row.id, "id")
        _ = row.sha256
    except InputError as error:
        raise InputError(f"{where} {error.path}", error.problem) from None
    if row.label is not None and row.label not in {option.id for option in options}:
        raise InputError(
            f"{where} label", f"{row.label!r}; expected the id of an option; correct it"
        )
    return row


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


def json_object(line: bytes | str, where: str) -> dict[str, Any]:
    """A JSON object, strictly: UTF-8, no NaN, no key twice.

    Raises:
        InputError: it is something else.
    """
    try:
        text = line.decode("utf-8-sig") if isinstance(line, bytes) else line
        value = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_double)
    except RecursionError:
        raise InputError(where, "nested too deep; expected a JSON object; flatten it") from None
    except ValueError as error:
        raise InputError(where, f"{error}; expected a JSON object; correct it") from None
    if not isinstance(value, dict):
        raise InputError(where, f"{type(value).__name__}; expected a JSON object; correct it")
    return value


def labels_of(rows: Iterable[Mapping[str, Any]]) -> int:
    """How many rows have a label."""
    return sum(1 for row in rows if row.get("label") is not None)


def _option(item: Any, where: str) -> Option:
    if not isinstance(item, dict) or not isinstance(item.get("id"), str):
        raise InputError(where, f"{item!r}; expected {{id, description}}; give it an id")
    described = item.get("description", "")
    if not isinstance(described, str):
        raise InputError(where, f"description {described!r}; expected text; quote it")
    return Option(item["id"], described)


def _optional(value: Mapping[str, Any], name: str, where: str) -> str | None:
    found = value.get(name)
    if found is not None and not isinstance(found, str):
        raise InputError(f"{where} {name}", f"{found!r}; expected text; quote it")
    return found


def _results(lines: Sequence[bytes], where: str) -> Iterator[dict[str, Any]]:
    seen: set[str] = set()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        place = f"{where}:{number}"
        row = json_object(line, place)
        ids, found = row.get("option_ids"), row.get("option_logprobs")
        numbers = isinstance(found, list) and all(
            isinstance(value, int | float) and not isinstance(value, bool) for value in found
        )
        if not isinstance(row.get("id"), str) or not isinstance(ids, list) or not numbers:
            raise InputError(
                place,
                "no id, option_ids and option_logprobs; expected a result of 'decide rows'; "
                "name another file",
            )
        assert isinstance(found, list)
        if not ids or len(ids) != len(found) or not all(isinstance(name, str) for name in ids):
            raise InputError(
                place, "option_ids and option_logprobs differ in length; expected one each; redo it"
            )
        if row["id"] in seen:
            raise InputError(place, f"id {row['id']!r} twice; expected ids that differ; drop one")
        seen.add(row["id"])
        yield row


def _whole(line: bytes) -> bool:
    try:
        json_object(line, "")
    except InputError:
        return False
    return True


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _no_double(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"key {twice!r} twice")
    return found
