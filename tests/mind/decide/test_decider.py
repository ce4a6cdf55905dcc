"""Decisions over a made model: what an answer holds, and what order, length and bias do to it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from godseed.mind.decide import Decider, InputError, Option, TooLongError, check_readout
from godseed.mind.decide.contract import LETTERS, direct_messages, json_text, prompt_sha256
from godseed.mind.decide.errors import ContractError
from godseed.mind.decide.readout import OBVIOUS
from godseed.mind.decide.runtimes import create
from godseed.mind.decide.runtimes.mock import MockRuntime
from godseed.mind.decide.scoring import confidence, sigmoid, softmax

LETTER_BIAS = dict(zip(LETTERS, np.linspace(-1.0, -6.0, 16), strict=True))


def biased(worth: dict[str, float]) -> Any:
    """A model that likes early letters, and options by what their description is worth."""

    def scores(prompt: str, token: str) -> float:
        payload = json.loads(prompt.split("<end>")[1])
        told = {item["letter"]: item["description"] for item in payload["options"]}
        return float(LETTER_BIAS[token]) + worth.get(told.get(token, ""), 0.0) - 4.0

    return scores


def test_answer_holds_ids_shares_hash_version_and_tokens(options: Any) -> None:
    runtime = MockRuntime()
    decision = Decider(runtime).decide("I want a refund.", "Which queue?", options)
    prompt = runtime.render(direct_messages('"I want a refund."', "Which queue?", options))
    assert decision.option_ids == ("billing", "sales", "support")
    assert decision.choice == "billing"
    assert decision.prompt_sha256 == prompt_sha256(prompt)
    assert decision.prompts_sha256 == (decision.prompt_sha256,)
    assert decision.prompt_version == "direct-options-v1"
    assert decision.input_tokens == len(runtime.tokenize(prompt))
    assert np.allclose(decision.probabilities, softmax(decision.option_logprobs))
    assert decision.confidence == confidence(decision.probabilities)
    assert 0.0 < decision.mass <= 1.0


def test_evidence_that_is_serialised_once_gives_the_same_prompt(options: Any) -> None:
    decider = Decider(MockRuntime())
    state = {"message": "已扣款两次", "tags": ["a", "b"], "ok": True, "missing": None, "ratio": 0.5}
    evidence = json_text(state)
    for question in ("Which queue?", "哪一个队列？", 'quotes " and \\ backslash'):
        whole = decider.decide(state, question, options)
        assert decider.decide_evidence(evidence, question, options) == whole


def test_tie_goes_to_the_first_option(made: Any, options: Any) -> None:
    decision = Decider(made()).decide("x", "Which?", options)
    assert decision.choice == "billing"
    assert decision.probabilities == pytest.approx([1 / 3] * 3)
    assert decision.confidence == pytest.approx(0.0, abs=1e-12)


def test_prompt_that_is_too_long_is_refused_and_never_scored(made: Any, options: Any) -> None:
    runtime = made(context=3000)
    decider = Decider(runtime)
    before = len(runtime.asked)
    with pytest.raises(TooLongError, match=r"tokens; expected at most 3000 \(context\), and"):
        decider.decide("x" * 3000, "Which?", options)
    assert len(runtime.asked) == before
    short = Decider(made(), max_input_tokens=600)
    with pytest.raises(TooLongError, match=r"expected at most 600 \(limit\)"):
        short.decide("x" * 600, "Which?", options)


def test_longest_prompt_that_fits_is_scored_whole(made: Any, options: Any) -> None:
    length = Decider(made()).decide("x", "Which?", options).input_tokens
    runtime = made()
    decision = Decider(runtime, max_input_tokens=length + 9).decide("x" * 10, "Which?", options)
    assert decision.input_tokens == length + 9
    assert "x" * 10 in runtime.asked[-1]


def test_cyclic_debiasing_undoes_a_bias_towards_letters(made: Any, options: Any) -> None:
    worth = {"Help with a fault.": 0.5}
    runtime = made(scores=biased(worth))
    assert Decider(runtime).decide("x", "Which?", options).choice == "billing"
    plain = len(runtime.asked)
    decision = Decider(runtime, debias="cyclic").decide("x", "Which?", options)
    assert decision.choice == "support"
    assert decision.probabilities == pytest.approx(softmax([0.0, 0.0, 0.5]).tolist())
    assert len(runtime.asked) - plain == 1 + len(options)
    assert len(set(decision.prompts_sha256)) == len(options)
    assert decision.method == "cyclic-shift-log-mean-v1"
    assert (
        decision.prompts_sha256[0] == Decider(runtime).decide("x", "Which?", options).prompt_sha256
    )


def test_flip_report_sees_an_answer_that_follows_the_order(made: Any, options: Any) -> None:
    biased_runtime = made(scores=biased({"Help with a fault.": 0.1}))
    plain = Decider(biased_runtime, flip=True).decide("x", "Which?", options)
    assert plain.flipped is True
    steady = Decider(biased_runtime, flip=True, debias="cyclic").decide("x", "Which?", options)
    assert steady.flipped is False
    once = Decider(biased_runtime).decide("x", "Which?", options)
    assert once.flipped is None
    assert plain.input_tokens > once.input_tokens


@given(st.permutations(["billing", "sales", "support", "gardening"]))
def test_order_of_candidates_moves_no_binary_answer(order: list[str]) -> None:
    decider = Decider(MockRuntime(), "binary", flip=True)
    state = "the customer wants help with a bill and some gardening and billing"
    found = decider.decide(state, "Which?", [Option(name, f"All {name}.") for name in order])
    shares = dict(zip(found.option_ids, found.probabilities, strict=True))
    alone = dict(zip(found.option_ids, found.independent or (), strict=True))
    first = decider.decide(state, "Which?", [Option(n, f"All {n}.") for n in sorted(order)])
    assert shares == pytest.approx(dict(zip(first.option_ids, first.probabilities, strict=True)))
    assert alone == dict(zip(first.option_ids, first.independent or (), strict=True))
    assert found.flipped is False


def test_binary_answer_takes_all_spellings_of_yes_against_all_of_no(made: Any) -> None:
    told = {"yes": -1.0, " yes": -1.5, "no": -2.0, " no": -0.5}
    decision = Decider(made(scores=lambda prompt, token: told[token]), "binary").decide(
        "x", "Which?", [Option("a", "A"), Option("b", "")]
    )
    odds = np.logaddexp(-1.0, -1.5) - np.logaddexp(-2.0, -0.5)
    assert decision.option_logprobs == pytest.approx([odds, odds])
    assert decision.independent == pytest.approx(sigmoid([odds, odds]).tolist())
    assert decision.probabilities == pytest.approx([0.5, 0.5])
    assert decision.method == "yes-no-log-odds-v1"
    assert decision.prompt_version == "binary-candidates-v1"
    assert len(decision.prompts_sha256) == 2
    assert decision.choice == "a"


def test_one_binary_candidate_is_judged_alone(made: Any) -> None:
    told = {"yes": -1.0, " yes": -2.0, "no": -3.0, " no": -4.0}
    decision = Decider(made(scores=lambda prompt, token: told[token]), "binary").decide(
        "x", "Which?", [Option("allowed", "Nothing is wrong with it.")]
    )
    assert decision.probabilities == (1.0,)
    assert decision.independent is not None
    assert decision.independent[0] > 0.8
    with pytest.raises(InputError, match="1 given; expected 2 to 16"):
        Decider(made()).decide("x", "Which?", [Option("a", "A")])


def test_sixteen_options_are_scored_and_a_seventeenth_is_refused(made: Any) -> None:
    many = [Option(f"o{i}", f"Option {i}") for i in range(17)]
    decision = Decider(made(scores=biased({}))).decide("x", "Which?", many[:16])
    assert len(decision.probabilities) == 16
    assert sum(decision.probabilities) == pytest.approx(1.0, abs=1e-12)
    assert decision.choice == "o0"
    with pytest.raises(InputError, match="17 given; expected 2 to 16"):
        Decider(made()).decide("x", "Which?", many)


def test_temperature_flattens_shares_and_moves_no_choice(options: Any) -> None:
    decider = Decider(MockRuntime())
    cold = decider.decide("refunds", "?", options)
    warm = decider.calibrated(4.0).decide("refunds", "?", options)
    assert warm.choice == cold.choice
    assert warm.option_logprobs == cold.option_logprobs
    assert max(warm.probabilities) < max(cold.probabilities)
    assert warm.temperature == 4.0
    assert cold.temperature == 1.0


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({"contract": "both"}, "contract: 'both'; expected direct or binary"),
        ({"contract": "binary", "debias": "cyclic"}, "debias: cyclic with the binary contract"),
        ({"temperature": 0.0}, r"temperature: 0\.0; expected above 0"),
    ],
)
def test_settings_that_mean_nothing_are_refused(
    made: Any, given_: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        Decider(made(), **given_)


def test_readout_check_passes_a_model_that_reads_and_names_what_one_missed(made: Any) -> None:
    passed = check_readout(Decider(MockRuntime()))
    assert passed.record() == {"status": "passed", "evidence": "4 of 4 obvious questions right"}
    first_only = Decider(made())
    failed = check_readout(first_only)
    assert failed.status == "failed"
    assert failed.evidence == (
        "2 of 4 obvious questions right; gardening was answered billing; cats was answered dogs"
    )
    with pytest.raises(ContractError, match=r"readout: 2 of 4 obvious.*--require-readout-check"):
        check_readout(first_only, required=True)


def test_obvious_questions_do_not_favour_a_place() -> None:
    places = [[option.id for option in item.options].index(item.answer) for item in OBVIOUS]
    assert sorted(places) == [0, 0, 1, 1]


def test_runtime_is_made_by_name_and_refuses_what_it_does_not_take() -> None:
    assert create("mock", model=None).identity()["kind"] == "mock"
    with pytest.raises(InputError, match="runtime: 'nope'; expected one of llamacpp, http, mock"):
        create("nope")
    with pytest.raises(InputError, match="runtime mock: takes no 'model'"):
        create("mock", model="x.gguf")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_mock_tokens_turn_back_into_their_text(text: str) -> None:
    runtime = MockRuntime()
    assert runtime.detokenize(runtime.tokenize(text)) == text
