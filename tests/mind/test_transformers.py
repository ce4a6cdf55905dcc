"""The `transformers` backend on a tiny model that is made, and taught one answer, right here."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import MistralConfig, MistralForCausalLM, PreTrainedTokenizerFast

from godseed.mind.backends import (
    GenerationCancelled,
    Message,
    ModelError,
    Sampling,
    create,
)
from godseed.mind.backends.transformers import TransformersBackend
from godseed.mind.grammar import turn_grammar
from godseed.mind.planner import Planner, grant_wish
from godseed.sim.trace import WishTrace
from godseed.sim.world import World

MESSAGES: list[Message] = [{"role": "user", "content": "A lake 夜, please."}]
TEMPLATE = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{{ eos_token }}{% endfor %}<god>"
TURN = '{"thought":"夜","done":true,"epitaph":"It {stands}."}'
SPECIAL = ("<end>", "<user>", "<assistant>", "<system>", "<god>")
STEPS, WINDOW = 160, 16
"""It looks back no further than two windows, so that it answers a long prompt as it learned to."""


def save(folder: Path, template: str | None = TEMPLATE) -> MistralForCausalLM:
    """A model of 100,000 weights over bytes that answers everything with `TURN`."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE({letter: i for i, letter in enumerate(letters)}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<end>")
    tokenizer.add_special_tokens({"additional_special_tokens": list(SPECIAL[1:])})
    tokenizer.chat_template = template
    torch.manual_seed(1)
    model = MistralForCausalLM(
        MistralConfig(
            vocab_size=len(tokenizer),
            hidden_size=64,
            intermediate_size=128,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=1,
            max_position_embeddings=16384,
            eos_token_id=tokenizer.eos_token_id,
            sliding_window=WINDOW,
        )
    )
    learn(model, tokenizer)
    tokenizer.save_pretrained(folder)
    model.save_pretrained(folder)
    return model


def learn(model: MistralForCausalLM, tokenizer: PreTrainedTokenizerFast) -> None:
    """Teach it to write `TURN` behind `<god>`, whatever stands before."""
    answer = tokenizer.encode("<god>" + TURN + "<end>")
    draw = np.random.default_rng(1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.004, weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.05, STEPS)
    model.train()
    for _ in range(STEPS):
        before = draw.integers(0, 255, (4, 2 * WINDOW))
        rows = torch.tensor(np.hstack([before, np.tile(answer, (4, 1))]))
        wanted = rows.clone()
        wanted[:, : 2 * WINDOW + 1] = -100
        loss = model(input_ids=rows, labels=wanted).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
    model.eval()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("tiny")
    torch.set_num_threads(1)
    save(made)
    return made


@pytest.fixture(scope="module")
def tiny(folder: Path) -> TransformersBackend:
    return TransformersBackend(folder, device="cpu")


def written(backend: TransformersBackend, **options: Any) -> tuple[str, list[str], Any]:
    pieces: list[str] = []
    sampling = Sampling(options.pop("seed", 1), **{"max_tokens": 80, "temperature": 0.0, **options})
    prompt = backend.render(MESSAGES)
    made = backend.generate(prompt, turn_grammar(), [], sampling, pieces.append)
    return made.text, pieces, made


def test_prompt_is_that_of_the_template(tiny: TransformersBackend) -> None:
    assert tiny.render(MESSAGES) == "<user>A lake 夜, please.<end><god>"


def test_detokenize_is_the_inverse_of_tokenize(tiny: TransformersBackend) -> None:
    text = "<user>Märchen 夜 🌊<end>"
    assert tiny.detokenize(tiny.tokenize(text)) == text


def test_the_answer_is_streamed_in_whole_characters(tiny: TransformersBackend) -> None:
    text, pieces, made = written(tiny)
    assert text == "".join(pieces) == TURN
    assert made.finish == "stop"
    assert made.tokens_out == len(TURN.encode())
    assert not any("�" in piece for piece in pieces)


def test_with_a_grammar_it_ends_where_the_object_ends(tiny: TransformersBackend) -> None:
    made = written(tiny)[2]
    assert made.tokens_out == len(tiny.tokenize(TURN))


def test_a_generation_ends_at_max_tokens(tiny: TransformersBackend) -> None:
    text, _, made = written(tiny, max_tokens=5)
    assert (text, made.tokens_out, made.finish) == (TURN[:5], 5, "length")


def test_same_seed_gives_the_same_text_and_another_seed_another(
    tiny: TransformersBackend,
) -> None:
    texts = [written(tiny, seed=seed, temperature=5.0)[0] for seed in (1, 2, 1)]
    assert texts[0] == texts[2] != texts[1]


def test_a_wish_is_granted(tiny: TransformersBackend) -> None:
    planner = Planner(tiny, temperature=0.1)
    trace = grant_wish(World.genesis(), "a lake", tiny, "w_000001", planner=planner)[1]
    assert isinstance(trace, WishTrace)
    assert (trace.ended, trace.epitaph, trace.backend) == ("done", "It {stands}.", "transformers")


def test_words_that_are_no_turn_end_the_wish_after_one_retry(tiny: TransformersBackend) -> None:
    planner = Planner(tiny, temperature=9.0)
    trace = grant_wish(World.genesis(), "a lake", tiny, "w_000001", planner=planner)[1]
    assert isinstance(trace, WishTrace)
    assert (trace.ended or "").startswith("unreadable")
    assert len(trace.turns) == 2


def test_logits_are_those_of_the_model(tiny: TransformersBackend) -> None:
    prompt = tiny.render(MESSAGES)
    logits = tiny.logits(prompt)
    assert logits.dtype == np.float32
    assert tiny.detokenize([int(np.argmax(logits))]) == "{"
    with pytest.raises(ModelError, match="empty"):
        tiny.logits("")


def test_a_cancelled_generation_ends_its_thread(tiny: TransformersBackend) -> None:
    def cancel(piece: str) -> None:
        raise GenerationCancelled

    with pytest.raises(GenerationCancelled):
        tiny.generate(tiny.render(MESSAGES), None, [], Sampling(1, max_tokens=5000), cancel)
    assert written(tiny)[0] == TURN


def test_identity_names_model_and_libraries(tiny: TransformersBackend) -> None:
    identity = tiny.identity()
    assert (identity["kind"], identity["grammar"], identity["device"]) == (
        "transformers",
        "prompt",
        "cpu",
    )
    assert len(identity["model_sha256"]) == 64
    json.dumps(dict(identity))


def test_generation_runs_inside_spaces_gpu_where_it_is_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[str] = []

    def gpu(run: Any) -> Any:
        def inside(*given: Any) -> Iterator[Any]:
            runs.append("inside")
            yield from run(*given)

        return inside

    spaces = ModuleType("spaces")
    spaces.GPU = gpu  # type: ignore[attr-defined]
    spaces.__spec__ = torch.__spec__
    monkeypatch.setitem(sys.modules, "spaces", spaces)
    assert written(TransformersBackend(folder, device="cpu"))[0] == TURN
    assert runs == ["inside"]


def test_a_model_without_a_template_is_a_loud_error(folder: Path, tmp_path: Path) -> None:
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
    MistralForCausalLM.from_pretrained(folder).save_pretrained(tmp_path)
    tokenizer.chat_template = None
    tokenizer.save_pretrained(tmp_path)
    backend = TransformersBackend(tmp_path, device="cpu")
    with pytest.raises(ModelError, match=r"no chat template.*--template FILE"):
        backend.render(MESSAGES)
    (tmp_path / "t.jinja").write_text(TEMPLATE)
    backend = TransformersBackend(tmp_path, template=tmp_path / "t.jinja", device="cpu")
    assert written(backend)[0] == TURN


def test_code_that_comes_with_a_model_is_never_run(tmp_path: Path) -> None:
    config = {"model_type": "own", "auto_map": {"AutoConfig": "own.Own", "AutoTokenizer": "own.T"}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "own.py").write_text("raise SystemExit('ran')\n")
    with pytest.raises(ModelError):
        TransformersBackend(tmp_path)


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="expected a folder or a name on the hub"):
        create("transformers", model=tmp_path)
