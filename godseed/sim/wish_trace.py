"""The trace of a wish: its words, its turns, and the features that came of it.

The fields are those of the first design plus the features themselves. A trace is frozen, and keeps
fields that it does not know.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError, model_validator

from godseed.sim.feature import Feature, check_wish_id

SCHEMA: Final = 1
_OPEN = ConfigDict(frozen=True, strict=True, extra="allow", populate_by_name=True)


class Moderation(BaseModel):
    """What moderation said; layers add fields of their own."""

    model_config = _OPEN

    allowed: bool
    category: str | None = None


class Turn(BaseModel):
    """One turn of the god: a thought, and a call with its observation unless it is the last.

    Attributes:
        thought: as emitted.
        call: `{"tool", "args"}` as the model wrote it, or None.
        observation: what the world answered, or None.
        ms: milliseconds that the turn took.
        tokens_in: tokens of the prompt that were evaluated.
        tokens_out: tokens generated.
    """

    model_config = _OPEN

    thought: str
    call: dict[str, Any] | None = None
    observation: str | None = None
    ms: int = 0
    tokens_in: int = 0
    tokens_out: int = 0


class WishTrace(BaseModel):
    """One granted wish.

    Attributes:
        wish_id: `w_%06d`.
        text: the wish.
        submitted_at: Unix seconds.
        moderation: its verdict.
        reading: the interpretation that was spoken aloud.
        turns: in order.
        epitaph: last words, empty if the god came to none.
        feature_ids: ids of `features`.
        features: what the wish made, in the order in which it landed.
        model, backend: who planned it.
        ms_total: milliseconds from start to end.
        schema_version: 1; written as `schema`.
        prompt_sha256: hash of the prompt's version, None if unknown.
        seed: of sampling, None if unknown.
        ended: why the turns ended, None if unknown.
    """

    model_config = _OPEN

    wish_id: str
    text: str
    submitted_at: FiniteFloat = 0.0
    moderation: Moderation = Moderation(allowed=True)
    reading: str = ""
    turns: tuple[Turn, ...] = ()
    epitaph: str = ""
    feature_ids: tuple[str, ...] = ()
    features: tuple[Feature, ...] = ()
    model: str = ""
    backend: str = ""
    ms_total: int = 0
    schema_version: Literal[1] = Field(default=SCHEMA, alias="schema")
    prompt_sha256: str | None = None
    seed: int | None = None
    ended: str | None = None

    @model_validator(mode="after")
    def _agree(self) -> WishTrace:
        check_wish_id(self.wish_id)
        ids = tuple(feature.id for feature in self.features)
        if ids and not self.feature_ids:
            object.__setattr__(self, "feature_ids", ids)
        elif ids and ids != self.feature_ids:
            raise ValueError("feature_ids are not those of features")
        if any(feature.wish_id != self.wish_id for feature in self.features):
            raise ValueError(f"a feature belongs to another wish than {self.wish_id}")
        return self

    def to_line(self) -> bytes:
        """One line of a log, without its newline."""
        return self.model_dump_json(by_alias=True).encode()


def parse_line(line: bytes) -> WishTrace:
    """Read one line of a log.

    Raises:
        ValueError: it is not a trace; the message is one line that names the field.
    """
    try:
        return WishTrace.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"{where}: {first['msg']}" if where else first["msg"]) from None
