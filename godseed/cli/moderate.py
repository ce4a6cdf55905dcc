"""`godseed moderate`: what moderation says about a wish, or about every line of a file."""

from __future__ import annotations

from collections import Counter
from typing import Any

import click

from godseed.cli.granting import backend_of, backend_options, judge_options, moderator_of
from godseed.cli.options import output, output_options, read_input
from godseed.cli.output import DIFFERENT, FINE, Failure, one_line
from godseed.mind.moderation import Verdict
from godseed.mind.moderation.verdict import NUMBER


@click.command("moderate")
@click.argument("text", required=False)
@click.option("--file", "source", metavar="LINES.txt", help="One wish a line; - is standard input.")
@backend_options
@judge_options
@output_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Say which wishes may be granted, and why not.

    Layer 1 looks at length and characters, layer 2 at words and drawings. Layer 3 is the judgement
    of a model, where --backend is one. Exit code 1 if a wish is refused. In a file, empty lines are
    left out.

    \b
    Examples:
      godseed moderate "a lighthouse on a northern cape"
      godseed moderate --file wishes.txt --json
      godseed moderate "a lake" --backend llamacpp --on-weak-judge lexical
    """
    out = output(ctx)
    lines = _lines(given["text"], given["source"])
    moderator = moderator_of(given, backend_of(given), out)
    rows: list[dict[str, Any]] = []
    refused: Counter[str] = Counter()
    with out.progress("wishes", len(lines)) as step:
        for number, text in lines:
            verdict = moderator.moderate(text)
            rows.append({"line": number, "text": text, **_told(verdict)})
            if not verdict.allowed:
                refused[verdict.category or ""] += 1
            out.data(_shown(text, verdict))
            step()
    count = sum(refused.values())
    if given["source"] is not None:
        kinds = ", ".join(f"{name} {times}" for name, times in sorted(refused.items()))
        out.note(f"{len(rows) - count} pass, {count} refused{': ' + kinds if kinds else ''}")
    judge = moderator.judge
    out.document(
        {
            "wishes": rows,
            "passed": len(rows) - count,
            "refused": count,
            "judge": judge.record() if judge else {"status": "absent"},
            "on_weak_judge": moderator.on_weak,
        }
    )
    return DIFFERENT if count else FINE


def _lines(text: str | None, source: str | None) -> list[tuple[int, str]]:
    """Line numbers and texts of the wishes.

    Raises:
        Failure: neither or both were given, the file is not UTF-8, or holds none.
    """
    if (text is None) == (source is None):
        raise Failure("moderate: expected either a text or --file LINES.txt; give one of them")
    if source is None:
        return [(1, str(text))]
    lines = []
    for number, raw in enumerate(read_input(source).split(b"\n"), start=1):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip("\r")
        except UnicodeDecodeError as error:
            raise Failure(
                f"{source}:{number}: byte {error.start + 1} is not UTF-8; expected UTF-8; "
                "convert it"
            ) from None
        if line.strip():
            lines.append((number, line))
    if not lines:
        raise Failure(f"{source}: no wishes; expected one a line; add one")
    return lines


def _told(verdict: Verdict) -> dict[str, Any]:
    return {**verdict.record(), "layer_number": NUMBER[verdict.layer], "reason": verdict.reason}


def _shown(text: str, verdict: Verdict) -> str:
    """A wish and its verdict, with what decided; at most three lines."""
    if verdict.allowed:
        odds = f"  P(allowed) {verdict.p_allowed:.3f}" if verdict.p_allowed is not None else ""
        return f"passes   {one_line(text)}{odds}"
    where = f"layer {NUMBER[verdict.layer]} ({verdict.layer}), {verdict.category}"
    detail = f"\n         {verdict.detail}" if verdict.detail else ""
    return f"refused  {one_line(text)}\n         {where}: {verdict.reason}{detail}"
