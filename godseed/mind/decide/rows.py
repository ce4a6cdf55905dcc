"""Rows: questions in JSONL, read strictly, each error with its line.

A row is `id, state, question, options: [{id, description}]`, and optionally `label` (the id of the
right option) and `family` (a group for reports). Other fields are left alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from godseed.mind.decide.contract import Contract, Option, check_options, json_text
from godseed.mind.decide.errors import InputError

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


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _no_double(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"key {twice!r} twice")
    return found
