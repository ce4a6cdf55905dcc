"""What moderation says about a wish, and the words in which a visitor hears it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

Layer = Literal["length", "characters", "words", "patterns", "judge", "passed"]
Policy = Literal["lexical", "deny", "judge"]

NUMBER: Final[Mapping[Layer, int]] = {
    "length": 1,
    "characters": 1,
    "words": 2,
    "patterns": 2,
    "judge": 3,
    "passed": 0,
}
"""The layer that a name belongs to; 0 when none objected."""
DECLINED: Final = "The god declines this wish."
_REASONS: Final = {
    "slur": f"{DECLINED} No stone here will carry such a word.",
    "sexual": f"{DECLINED} Its hands make hills and lamps, nothing else.",
    "hate": f"{DECLINED} No ground here will take that shape.",
    "harm": f"{DECLINED} If it is heavy where you are, speak to someone close by tonight.",
    "violence": f"{DECLINED} Nobody is hurt in this town.",
    "judged": f"{DECLINED} It weighed the wish, and would rather not.",
    "weak": f"{DECLINED} It cannot weigh wishes well enough yet.",
    "error": f"{DECLINED} It could not be heard clearly.",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What moderation decided.

    Attributes:
        allowed: whether the wish may be granted.
        layer: the layer that decided, "passed" when none objected.
        category: None, or form, slur, sexual, hate, harm, violence, judged, weak, error.
        reason: what the visitor reads; empty when allowed.
        judge: the model's judgement: "absent" where no model could be asked, "allowed", "denied",
            "weak" (it failed its self-check), "unavailable" or "failed" (it could not answer).
            "absent" too where an earlier layer had decided.
        policy: what decided: the lexical layers alone, the judge, or a refusal without a judge.
        p_allowed: the judge's probability that the wish may be granted, None if it was not asked.
        detail: for whoever runs this: what failed, or what the self-check found.
    """

    allowed: bool
    layer: Layer
    category: str | None = None
    reason: str = ""
    judge: str = "absent"
    policy: Policy = "lexical"
    p_allowed: float | None = None
    detail: str = ""

    def record(self) -> dict[str, Any]:
        """The `moderation` field of a trace."""
        told: dict[str, Any] = {
            "allowed": self.allowed,
            "category": self.category,
            "layer": self.layer,
            "judge": self.judge,
            "policy": self.policy,
        }
        if self.p_allowed is not None:
            told["p_allowed"] = self.p_allowed
        if self.detail:
            told["detail"] = self.detail
        return told


def refuse(layer: Layer, category: str, **more: Any) -> Verdict:
    """A refusal in the words of its category.

    Args:
        more: further fields of the verdict.
    """
    return Verdict(False, layer, category, _REASONS[category], **more)


def broken(layer: Layer, error: Exception, **more: Any) -> Verdict:
    """The refusal of a layer that failed: a fault never lets a wish pass."""
    detail = f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]
    return refuse(layer, "error", detail=detail, **more)
