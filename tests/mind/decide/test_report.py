"""Metrics by hand and by law, calibration against scipy, reports that their rows prove."""

from __future__ import annotations

import json
import math
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from scipy import optimize

from godseed.mind.decide import Decider, InputError
from godseed.mind.decide.calibration import Calibration, fit, load, mean_nll, save
from godseed.mind.decide.metrics import judge, metrics, reliability
from godseed.mind.decide.reliability import draw_reliability
from godseed.mind.decide.report import report_of, verify
from godseed.mind.decide.results import model_key, read_results, result_of
from godseed.mind.decide.rows import read_rows
from godseed.mind.decide.runtimes.mock import MockRuntime


def row(name: str, label: str, shares: list[float], **more: Any) -> dict[str, Any]:
    ids = ["a", "b", "c"][: len(shares)]
    logs = [math.log(share) for share in shares]
    return {"id": name, "option_ids": ids, "option_logprobs": logs, "label": label, **more}


def lines(rows: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(item).encode() + b"\n" for item in rows)


@pytest.fixture(scope="module")
def results(examples: bytes) -> bytes:
    """The mock's decisions on the shipped examples, asked both ways."""
    decider = Decider(MockRuntime(), flip=True)
    model = model_key(decider.runtime.identity())
    return lines(
        [
            result_of(item, decider.decide(item.state, item.question, item.options), model)
            for item in read_rows(examples, "examples")
        ]
    )


def test_metrics_of_three_rows_by_hand() -> None:
    judged = [
        judge(row("1", "a", [0.8, 0.2])),
        judge(row("2", "a", [0.4, 0.6])),
        judge(row("3", "b", [0.1, 0.9])),
    ]
    found = metrics(judged)
    assert found["rows"] == 3
    assert found["accuracy"] == pytest.approx(2 / 3)
    assert found["balanced_accuracy"] == pytest.approx((0.5 + 1.0) / 2)
    assert found["nll"] == pytest.approx(-np.mean(np.log([0.8, 0.4, 0.9])))
    assert found["brier"] == pytest.approx(np.mean([2 * 0.04, 2 * 0.36, 2 * 0.01]))
    assert found["brier_top"] == pytest.approx(np.mean([0.04, 0.36, 0.01]))
    assert found["ece"] == pytest.approx((0.2 + 0.6 + 0.1) / 3)
    assert found["mean_confidence"] == pytest.approx((0.8 + 0.6 + 0.9) / 3)


def test_tie_counts_for_the_first_option() -> None:
    assert judge(row("1", "a", [0.5, 0.5])).right
    assert not judge(row("1", "b", [0.5, 0.5])).right


def test_certain_and_wrong_is_a_finite_loss() -> None:
    wrong = {**row("1", "b", [0.5, 0.5]), "option_logprobs": [0.0, -2000.0]}
    assert judge(wrong).nll == pytest.approx(2000.0)


rows_strategy = st.lists(
    st.tuples(st.lists(st.floats(0.01, 1.0), min_size=3, max_size=3), st.sampled_from("abc")),
    min_size=1,
    max_size=30,
)


@given(rows_strategy)
def test_bins_hold_each_row_once_and_ece_is_bounded(drawn: list[Any]) -> None:
    judged = [judge(row(str(i), label, shares)) for i, (shares, label) in enumerate(drawn)]
    bins = reliability(judged)
    assert sum(item["rows"] for item in bins) == len(judged)
    for item in bins:
        if item["rows"]:
            assert item["low"] - 1e-9 <= item["confidence"] <= item["high"] + 1e-9
    found = metrics(judged)
    assert 0.0 <= found["ece"] <= 1.0
    assert 0.0 <= found["brier"] <= 2.0
    assert found["accuracy"] == sum(one.right for one in judged) / len(judged)


def test_calibration_finds_the_temperature_that_scipy_finds() -> None:
    rng = np.random.default_rng(7)
    scores = rng.normal(size=(400, 4))
    truth = [int(rng.choice(4, p=np.exp(s) / np.exp(s).sum())) for s in scores]
    planted = 3.0
    rows = [
        {
            "id": str(i),
            "option_ids": list("abcd"),
            "option_logprobs": (planted * s).tolist(),
            "label": "abcd"[place],
            "model": "m",
            "prompt_version": "v",
            "method": "x",
        }
        for i, (s, place) in enumerate(zip(scores, truth, strict=True))
    ]
    found = fit(rows)
    best = optimize.minimize_scalar(
        lambda t: mean_nll([planted * s for s in scores], truth, t),
        bounds=(0.05, 20),
        method="bounded",
    )
    assert found.temperature == pytest.approx(best.x, rel=1e-3)
    assert found.temperature == pytest.approx(planted, rel=0.15)
    assert found.nll_after < found.nll_before
    assert found.rows == 400


@pytest.mark.parametrize(("right", "bound"), [(True, 0.05), (False, 20.0)])
def test_calibration_says_when_no_temperature_helps(right: bool, bound: float) -> None:
    made = {"model": "m", "prompt_version": "v", "method": "x"}
    rows = [row(str(i), "a" if right else "b", [0.9, 0.1], **made) for i in range(8)]
    found = fit(rows)
    assert found.at_bound
    assert found.temperature == pytest.approx(bound)
    if right:
        assert not fit([*rows, row("9", "b", [0.9, 0.1], **made)]).at_bound


def test_calibration_is_bound_to_model_version_and_method(tmp_path: Path) -> None:
    made = Calibration(2.0, "m", "direct-options-v1", "option-logits-v1", 40, 1.0, 0.9)
    save(made, tmp_path / "c.json")
    assert load(tmp_path / "c.json") == made
    made.check("m", "direct-options-v1", "option-logits-v1")
    for given_ in (
        ("other", "direct-options-v1", "option-logits-v1"),
        ("m", "direct-options-v2", "option-logits-v1"),
        ("m", "direct-options-v1", "cyclic-shift-log-mean-v1"),
    ):
        with pytest.raises(InputError, match=r"^calibration .*; expected .*, on which it was"):
            made.check(*given_)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"temperature": 2}', json.dumps({"temperature": "x"})]
)
def test_file_that_is_no_calibration_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "c.json").write_text(text)
    with pytest.raises(InputError, match=r"c.json: .*; expected .*calibra|JSON object"):
        load(tmp_path / "c.json")
    with pytest.raises(InputError, match=r"no.json: No such file"):
        load(tmp_path / "no.json")


def test_calibration_needs_labels_of_one_run(results: bytes) -> None:
    rows = [json.loads(item) for item in results.splitlines()]
    with pytest.raises(InputError, match="calibration: 7 labelled rows; expected at least 8"):
        fit(rows[:7])
    rows[0]["model"] = "another"
    with pytest.raises(InputError, match="calibration model: 2 different ones"):
        fit(rows)


def test_report_follows_from_its_rows_and_says_so(results: bytes) -> None:
    made = report_of(results, "out")
    assert made["rows"] == made["labelled"] == 40
    assert list(made["families"]) == ["claim", "queue", "urgency", "wish"]
    assert made["flips"]["rows"] == 40
    assert verify(json.loads(json.dumps(made)), results, "out") == []
    assert verify(made, results, "out", tolerance=0.0) == []


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("overall", "accuracy"), 0.99, r"report\.overall\.accuracy: 0\.99; the rows give"),
        (("families", "wish", "nll"), 0.0, r"report\.families\.wish\.nll"),
        (("reliability", 5, "rows"), 0, r"report\.reliability\[5\]\.rows"),
        (("flips", "ids"), [], r"report\.flips\.ids: 0 items"),
        (("rows_sha256",), "0" * 64, r"report\.rows_sha256"),
        (("rows",), True, r"report\.rows: True"),
    ],
)
def test_report_that_was_touched_is_refused(
    results: bytes, path: tuple[Any, ...], value: Any, said: str
) -> None:
    made = report_of(results, "out")
    place = made
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    (found, *_) = verify(made, results, "out")
    assert re.match(said, found), found


def test_row_that_was_touched_is_refused(results: bytes) -> None:
    rows = [json.loads(item) for item in results.splitlines()]
    rows[3]["probabilities"][0] += 0.01
    rows[4]["choice"] = "nothing"
    rows[5]["option_logprobs"][0] = 0.0
    touched = lines(rows)
    found = verify(report_of(touched, "out"), touched, "out")
    assert any(item.startswith(f"row {rows[3]['id']!r}.probabilities[0]") for item in found)
    assert any(item.startswith(f"row {rows[4]['id']!r}.choice") for item in found)
    assert any(item.startswith(f"row {rows[5]['id']!r}.") for item in found)
    assert any("rows_sha256" in item for item in verify(report_of(results, "o"), touched, "o"))


def test_tolerance_is_the_callers(results: bytes) -> None:
    made = {**report_of(results, "out"), "tolerance": 1.0}
    made["overall"] = {**made["overall"], "accuracy": made["overall"]["accuracy"] + 1e-6}
    found = verify(made, results, "out")
    assert any("overall.accuracy" in item for item in found)
    assert any("tolerance: not expected" in item for item in found)
    assert not any("accuracy" in item for item in verify(made, results, "out", tolerance=1e-3))
    for bad in (-1.0, math.nan, math.inf):
        with pytest.raises(InputError, match=r"tolerance: .*; expected 0 or more"):
            verify(made, results, "out", tolerance=bad)


def test_report_of_another_kind_is_refused(results: bytes) -> None:
    with pytest.raises(InputError, match="report: version None; expected"):
        verify({}, results, "out")


def test_report_without_labels_has_no_figures_that_need_them(results: bytes) -> None:
    rows = [json.loads(item) for item in results.splitlines()]
    for item in rows:
        item.pop("label")
    made = report_of(lines(rows), "out")
    assert made["overall"] is made["reliability"] is None
    assert made["flips"]["rows"] == 40
    with pytest.raises(InputError, match="plot: no labelled rows"):
        draw_reliability(made, Path("x.svg"))


def test_diagram_is_the_same_file_each_time(results: bytes, tmp_path: Path) -> None:
    made = report_of(results, "out")
    for name in ("a.svg", "b.svg", "a.png", "b.png"):
        draw_reliability(made, tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    with Image.open(tmp_path / "a.png") as picture:
        assert picture.size == (720, 840)
    with pytest.raises(InputError, match=r"ends in '.gif'; expected .svg or .png"):
        draw_reliability(made, tmp_path / "a.gif")


odd = st.sampled_from([None, "x", "", 1, -1, 0, True, 1e308, 10**400, [], {}, ["a"], [None], [[1]]])


@given(st.data())
def test_any_value_in_any_field_is_a_report_or_one_clear_error(
    results: bytes, data: st.DataObject
) -> None:
    rows = [json.loads(item) for item in results.splitlines()[:9]]
    made = report_of(lines(rows), "out")
    changed = data.draw(st.sampled_from(rows))
    name = data.draw(st.sampled_from(sorted(changed)))
    if isinstance(changed[name], list) and data.draw(st.booleans()):
        changed[name][data.draw(st.integers(0, len(changed[name]) - 1))] = data.draw(odd)
    else:
        changed[name] = data.draw(odd)
    touched = lines(rows)
    for work in (
        lambda: report_of(touched, "out"),
        lambda: verify(made, touched, "out"),
        lambda: fit(read_results(touched, "out")),
    ):
        with suppress(InputError):
            work()
