"""`godseed decide`: decisions from option logits, their reports, and what proves them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from godseed.cli.decide_text import decision_lines, report_lines
from godseed.cli.options import output, output_options, read_input, writable
from godseed.cli.output import DIFFERENT, ENVIRONMENT, FINE, Failure, Output
from godseed.mind.backends import BackendError, MissingError, ModelError
from godseed.mind.decide.calibration import fit, load, save
from godseed.mind.decide.contract import Contract
from godseed.mind.decide.decider import Decider
from godseed.mind.decide.errors import ContractError, InputError, TransportError
from godseed.mind.decide.readout import ReadoutCheck, check_readout
from godseed.mind.decide.reliability import FORMATS, draw_reliability
from godseed.mind.decide.report import report_of, verify
from godseed.mind.decide.results import ResultFile, model_key, read_results, result_of
from godseed.mind.decide.rows import Row, json_object, parse_row, read_rows
from godseed.mind.decide.runtimes import NAMES, create
from godseed.mind.decide.wire import NOUL_DEFAULTS

UPSTREAM_KEY = "GODSEED_UPSTREAM_KEY"
DEFAULT_QUESTION = "Which option best matches the supplied state?"
Command = TypeVar("Command", bound=Callable[..., Any])


@click.group("decide")
def command() -> None:
    """Choose an option by a model's logits.

    One of up to 16 options, read from the logits of the next token instead of from prose.

    \b
    Examples:
      godseed decide ask "I was charged twice" -o billing=Refunds -o sales=Prices
      godseed decide rows questions.jsonl -o answers.jsonl
    """


def runtime_options(command: Command) -> Command:
    """Options that say which model decides, and how."""
    for option in reversed(
        (
            click.option(
                "--contract",
                type=click.Choice(("direct", "binary")),
                default="direct",
                show_default=True,
                help="Letters for all options at once, or yes and no for each.",
            ),
            click.option(
                "--runtime",
                type=click.Choice(NAMES),
                default="llamacpp",
                show_default=True,
                help="A model in this process, a server, or the mock.",
            ),
            click.option(
                "--model", metavar="MODEL", help="GGUF path or name, or the server's name for it."
            ),
            click.option("--template", metavar="FILE", help="Chat template in place of its own."),
            click.option("--url", metavar="URL", help="Of the server, for --runtime http."),
            click.option(
                "--dialect",
                type=click.Choice(("llamacpp", "vllm")),
                help="Of the server; found out if not given.",
            ),
            click.option(
                "--debias",
                type=click.Choice(("none", "cyclic")),
                default="none",
                show_default=True,
                help="Show every rotation of the options and take the mean.",
            ),
            click.option("--flip", is_flag=True, help="Ask again with the options reversed."),
            click.option("--calibration", metavar="FILE", help="Of 'decide calibrate'."),
            click.option(
                "--max-input-tokens",
                type=click.IntRange(1),
                metavar="N",
                help="Refuse longer prompts; nothing is ever cut.",
            ),
            click.option(
                "--require-readout-check",
                is_flag=True,
                help="Refuse a model that fails four obvious questions.",
            ),
        )
    ):
        command = option(command)
    return command


@command.command("ask")
@click.argument("state")
@click.option("-q", "--question", help="The criterion; a general one if not given.")
@click.option(
    "-o",
    "--option",
    "options",
    multiple=True,
    metavar="ID=TEXT",
    help="An option; repeat it. Without any: true or false.",
)
@click.option("--json-state", is_flag=True, help="STATE is JSON, not text.")
@runtime_options
@output_options
@click.pass_context
def ask(ctx: click.Context, /, **given: Any) -> int:
    """Decide one question about a state.

    STATE is the evidence; - reads it from standard input.

    \b
    Example:
      godseed decide ask "The dam is cracking." -q "Is this urgent?"
    """
    out = output(ctx)
    state: Any = given["state"]
    if state == "-":
        try:
            state = read_input("-").decode()
        except UnicodeDecodeError:
            raise Failure("state: not UTF-8; expected UTF-8; convert it") from None
    if given["json_state"]:
        state = json_object(f'{{"state": {state}}}', "state")["state"]
    options = [{"id": key, "description": text} for key, text in NOUL_DEFAULTS.items()]
    if given["options"]:
        options = [_option(text) for text in given["options"]]
    question = given["question"] or DEFAULT_QUESTION
    fields = {"id": "ask", "state": state, "question": question, "options": options}
    row = parse_row(fields, "ask", given["contract"])
    with failures():
        decider, _ = opened(given, out, check=given["require_readout_check"])
        decision = decider.decide(row.state, row.question, row.options)
    for line in decision_lines(decision):
        out.data(line)
    out.document(result_of(row, decision, model_key(decider.runtime.identity())))
    return FINE


@command.command("rows")
@click.argument("source", metavar="IN.jsonl")
@click.option("-o", "--output", "target", metavar="OUT.jsonl", required=True, help="Write here.")
@runtime_options
@output_options
@click.pass_context
def rows(ctx: click.Context, /, **given: Any) -> int:
    """Decide every row of a file.

    Rows that OUT.jsonl holds already are kept. A row is {id, state, question,
    options: [{id, description}]}, with a label (the id of the right option) and a family for
    reports. Exit code 1 if a row was refused: it is told, left out, and tried again by the next
    run.

    \b
    Example:
      godseed decide rows questions.jsonl -o answers.jsonl --contract binary
    """
    out = output(ctx)
    target = writable(given["target"], ".jsonl")
    todo = read_rows(read_input(given["source"]), given["source"], given["contract"])
    with failures(), _results(target, out) as results:
        decider, readout = opened(given, out, check=True)
        model = model_key(decider.runtime.identity())
        left = [row for row in todo if not results.kept(row, decider, model)]
        refused = _decide_all(left, decider, results, out)
    kept = len(todo) - len(left)
    out.note(f"{len(left) - len(refused)} decided, {kept} kept, {len(refused)} refused; {target}")
    out.document(
        {
            "output": str(target),
            "decided": len(left) - len(refused),
            "kept": kept,
            "refused": refused,
            "model": dict(decider.runtime.identity()),
            "prompt_version": decider.prompt_version,
            "readout": readout.record() if readout else {"status": "unvalidated"},
        }
    )
    return DIFFERENT if refused else FINE


@command.command("report")
@click.argument("results", metavar="OUT.jsonl")
@click.option("-o", "--output", "target", metavar="REPORT.json", help="Write the report here.")
@click.option("--plot", metavar="FILE", help="Draw the reliability diagram: .svg or .png.")
@output_options
@click.pass_context
def report(ctx: click.Context, results: str, target: str | None, plot: str | None) -> int:
    """Say how good the decisions of 'decide rows' are.

    \b
    Example:
      godseed decide report answers.jsonl -o report.json --plot reliability.svg
    """
    out = output(ctx)
    place = writable(target, ".json") if target else None
    picture = writable(plot, *FORMATS) if plot else None
    made = report_of(read_input(results), results)
    if picture:
        draw_reliability(made, picture)
    if place:
        place.write_text(json.dumps(made, ensure_ascii=False, indent=2) + "\n", "utf-8")
    for line in report_lines(made):
        out.data(line)
    for written in (place, picture):
        if written:
            out.note(f"wrote {written}")
    out.document(made)
    return FINE


@command.command("verify")
@click.argument("stated", metavar="REPORT.json")
@click.argument("results", metavar="OUT.jsonl")
@click.option(
    "--tolerance", type=float, default=1e-9, show_default=True, help="Largest difference allowed."
)
@output_options
@click.pass_context
def verify_report(ctx: click.Context, stated: str, results: str, tolerance: float) -> int:
    """Work a report out again from its rows.

    Exit code 1 if it does not follow from them.

    \b
    Example:
      godseed decide verify report.json answers.jsonl
    """
    out = output(ctx)
    found = verify(json_object(read_input(stated), stated), read_input(results), results, tolerance)
    for line in found:
        out.data(line)
    out.data("differs" if found else "verified: the report follows from its rows")
    out.document({"verified": not found, "tolerance": tolerance, "differences": found})
    return DIFFERENT if found else FINE


@command.command("calibrate")
@click.argument("results", metavar="OUT.jsonl")
@click.option(
    "-o", "--output", "target", metavar="CALIBRATION.json", required=True, help="Write here."
)
@output_options
@click.pass_context
def calibrate(ctx: click.Context, results: str, target: str) -> int:
    """Fit a temperature on labelled results.

    It holds for this model, prompt version and method only; with others it is refused.

    \b
    Example:
      godseed decide calibrate answers.jsonl -o calibration.json
    """
    out = output(ctx)
    place = writable(target, ".json")
    found = fit(read_results(read_input(results), results))
    save(found, place)
    out.data(
        f"temperature {found.temperature:.4f}  nll {found.nll_before:.4f} -> "
        f"{found.nll_after:.4f}  rows {found.rows}"
    )
    if found.at_bound:
        out.note(
            "note: the fit ran into the end of its range: all answers are right, or none better "
            "than chance; no temperature helps"
        )
    out.note(f"wrote {place}; use it with --calibration, and judge it on other rows")
    out.document({"output": str(place), **json_object(place.read_bytes(), str(place))})
    return FINE


@command.command("check")
@runtime_options
@output_options
@click.pass_context
def check(ctx: click.Context, /, **given: Any) -> int:
    """Prove that a model can serve the contract.

    Exit code 3 if it cannot, 1 if it fails the four obvious questions.

    \b
    Example:
      godseed decide check --contract binary
    """
    out = output(ctx)
    with failures():
        decider, readout = opened(given, out, check=True)
    assert readout is not None
    slots = {
        spelling: token
        for group, texts in zip(decider.slots.groups, decider.slots.spellings, strict=True)
        for token, spelling in zip(group, texts, strict=True)
    }
    out.data(f"slots      {' '.join(f'{text!r}={token}' for text, token in slots.items())}")
    out.data("boundary   holds for all of them")
    out.data(f"transport  {decider.runtime.describe()['probe']}")
    out.data(f"mass       {decider.probe_mass:.4f} of the next token is an answer")
    out.data(f"readout    {readout.status}: {readout.evidence}")
    out.document(
        {
            "slots": slots,
            "prompt_version": decider.prompt_version,
            **decider.runtime.describe(),
            "probe_mass": decider.probe_mass,
            "readout": readout.record(),
            "model": dict(decider.runtime.identity()),
        }
    )
    return FINE if readout.status == "passed" else DIFFERENT


def opened(given: dict[str, Any], out: Output, check: bool) -> tuple[Decider, ReadoutCheck | None]:
    """The decider that the options name, and how it did on the obvious questions if asked.

    Raises:
        Failure, DecideError, BackendError: it cannot be had.
    """
    if (given["runtime"] == "http") != bool(given["url"]):
        raise Failure(
            f"runtime {given['runtime']}: {'no' if not given['url'] else 'a'} --url; expected one "
            "with --runtime http and only there; change it"
        )
    calibration = load(Path(given["calibration"])) if given["calibration"] else None
    key = os.environ.get(UPSTREAM_KEY) if given["runtime"] == "http" else None
    runtime = create(
        given["runtime"],
        model=given["model"],
        template=given["template"],
        url=given["url"],
        dialect=given["dialect"],
        api_key=key or None,
    )
    contract: Contract = given["contract"]
    decider = Decider(
        runtime,
        contract,
        debias=given["debias"],
        flip=given["flip"],
        max_input_tokens=given["max_input_tokens"],
    )
    readout = None
    if check:
        readout = check_readout(decider, given["require_readout_check"])
        if readout.status == "failed":
            out.note(f"note: readout check failed: {readout.evidence}; trust no probability")
    if calibration is not None:
        calibration.check(model_key(runtime.identity()), decider.prompt_version, decider.method)
        decider = decider.calibrated(calibration.temperature)
    return decider, readout


@contextmanager
def failures() -> Iterator[None]:
    """What a model or a server cannot do is the environment's fault, not a crash."""
    try:
        yield
    except (InputError, ModelError, MissingError):
        raise
    except (ContractError, TransportError, BackendError) as error:
        raise Failure(str(error), ENVIRONMENT) from None


@contextmanager
def _results(target: Path, out: Output) -> Iterator[ResultFile]:
    results = ResultFile(target)
    try:
        if results.torn:
            out.note(f"note: {target}: a torn last line was set aside as {results.torn}")
        yield results
    finally:
        results.close()


def _decide_all(
    left: Sequence[Row], decider: Decider, results: ResultFile, out: Output
) -> list[dict[str, str]]:
    """Decide rows one by one; returns those that were refused, and why."""
    refused: list[dict[str, str]] = []
    model = model_key(decider.runtime.identity())
    with out.progress("rows", len(left)) as step:
        for row in left:
            try:
                decision = decider.decide(row.state, row.question, row.options)
            except InputError as error:
                refused.append({"id": row.id, "error": error.problem})
                out.note(f"refused {row.id}: {error.problem}")
            else:
                results.append(result_of(row, decision, model))
            step()
    return refused


def _option(text: str) -> dict[str, str]:
    name, equals, described = text.partition("=")
    if not name:
        raise Failure(f"option {text!r}: no id; expected ID=TEXT; try -o billing='Refunds'")
    return {"id": name, "description": described if equals else name}
