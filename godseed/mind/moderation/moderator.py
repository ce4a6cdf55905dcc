"""The layers in order, and what a fault in each of them means: a refusal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

from godseed.mind.moderation import form, words
from godseed.mind.moderation.judge import Judge
from godseed.mind.moderation.verdict import Verdict, broken, refuse

OnWeak = Literal["deny", "lexical"]
ON_WEAK: Final[tuple[OnWeak, ...]] = ("deny", "lexical")
"""What decides when the judge is weak: nobody, so nothing passes; or layers 1 and 2 alone."""


def moderate(text: str) -> Verdict:
    """Layers 1 and 2: what a server asks before it queues a wish. Never raises.

    Args:
        text: as typed; at most 140 characters after NFKC and stripping.
    """
    try:
        refusal = form.check_form(text)
    except Exception as error:
        return broken("characters", error)
    return refusal or screen(text)


def screen(text: str) -> Verdict:
    """Layer 2 alone, for a text that a model wrote; never raises."""
    try:
        return words.check_words(text) or Verdict(True, "passed")
    except Exception as error:
        return broken("words", error)


@dataclass(frozen=True, slots=True)
class Moderator:
    """All three layers.

    Attributes:
        judge: the model that is asked last; None where there is none, and every verdict says so.
        on_weak: what decides while the judge is weak or unavailable.
    """

    judge: Judge | None = None
    on_weak: OnWeak = "deny"

    def moderate(self, text: str) -> Verdict:
        """Judge a wish; never raises. The model is asked only about what layers 1 and 2 pass.

        Args:
            text: as typed.
        """
        verdict = moderate(text)
        if not verdict.allowed or self.judge is None:
            return verdict
        try:
            return self._judged(text, verdict, self.judge)
        except Exception as error:
            return broken("judge", error, judge="failed", policy="deny")

    def _judged(self, text: str, passed: Verdict, judge: Judge) -> Verdict:
        if not judge.fit:
            if self.on_weak == "lexical":
                return replace(passed, judge=judge.status, detail=judge.evidence)
            weak = {"judge": judge.status, "detail": judge.evidence}
            return refuse("judge", "weak", policy="deny", **weak)
        found = judge.judge(text)
        if judge.allows(found):
            return replace(passed, judge="allowed", policy="judge", p_allowed=found.p_allowed)
        detail = judge.objection(found)
        return refuse(
            "judge",
            "judged",
            judge="denied",
            policy="judge",
            p_allowed=found.p_allowed,
            detail=detail,
        )
