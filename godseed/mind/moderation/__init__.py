"""Moderation before execution: form, then words and drawings, then a model's judgement.

    verdict = moderate("a lighthouse on a cape")        # layers 1 and 2: no model, milliseconds
    judge = open_judge(backend)                         # None where there is no model to ask
    verdict = Moderator(judge, on_weak="deny").moderate("a lighthouse on a cape")

Default deny: an error in any layer is a refusal that names the layer, and a model that is not fit
to judge refuses everything unless its owner says `on_weak="lexical"`.
"""

from godseed.mind.moderation.form import WISH_MAX
from godseed.mind.moderation.judge import THRESHOLD, Judge, Judgement, open_judge
from godseed.mind.moderation.moderator import ON_WEAK, Moderator, OnWeak, moderate, screen
from godseed.mind.moderation.verdict import Layer, Verdict

__all__ = [
    "ON_WEAK",
    "THRESHOLD",
    "WISH_MAX",
    "Judge",
    "Judgement",
    "Layer",
    "Moderator",
    "OnWeak",
    "Verdict",
    "moderate",
    "open_judge",
    "screen",
]
