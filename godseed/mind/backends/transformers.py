"""`transformers`: a model of Hugging Face transformers in this process, on a GPU if there is one.

This is the path of a Space with ZeroGPU: when the package `spaces` is there, generation runs inside
`spaces.GPU`. Code that comes with a model is never run. There is no grammar here: the prompt asks
for one JSON object, the generation ends where that object does, and the planner reads it strictly
and asks once more (docs/decisions/0016). The tokens are drawn by the same sampler as elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import Any, Final

import numpy as np

from godseed.mind.backends import (
    BackendError,
    Generation,
    Message,
    MissingError,
    ModelError,
    OnToken,
    Sampling,
)
from godseed.mind.backends.chat_template import ChatTemplate
from godseed.mind.backends.model_files import sha256_of
from godseed.mind.backends.sampling import Sampler
from godseed.mind.backends.stop_text import StopText
from godseed.sim.maths import F32

# Untyped on purpose: types are checked alike with and without these libraries.
torch: Any = import_module("torch")
transformers: Any = import_module("transformers")

DEFAULT_MODEL: Final = "nvidia/NVIDIA-Nemotron-Nano-9B-v2"
WAIT_S: Final = 120.0


class TransformersBackend:
    """The `transformers` backend."""

    def __init__(
        self,
        model: str | Path | None = None,
        *,
        template: str | Path | None = None,
        device: str | None = None,
    ) -> None:
        """Args:
            model: a folder, or a name on the hub; by default the Nemotron of the first design.
            template: a file with a chat template instead of the model's own.
            device: of torch; by default `cuda` where there is one, else `cpu`.
        Raises:
            ModelError: there is no such model, or it would need code of its own.
            MissingError: the hub cannot be reached.
        """
        name = str(model) if model is not None else DEFAULT_MODEL
        self._device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        try:
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(
                name, trust_remote_code=False
            )
            made = transformers.AutoModelForCausalLM.from_pretrained(
                name, trust_remote_code=False, dtype="auto"
            )
        except Exception as error:  # of the hub, of files, of configurations
            raise _unloaded(name, error) from None
        self._model = made.to(self._device).eval()
        self._folder = Path(name)
        self._name = self._folder.name if self._folder.is_dir() else name
        self._template = self._chosen_template(template)
        self._ends = _end_tokens(self._model, self._tokenizer)
        self._lock = Lock()
        self._pieces = _on_gpu(self._run)

    def render(self, messages: Sequence[Message]) -> str:
        """The prompt by the chat template, thinking switched off where it can be.

        Raises:
            ModelError: there is no template, or it refuses the messages.
        """
        if self._template is None:
            raise ModelError(
                f"model {self._name!r}: it has no chat template; expected one; "
                "give it with --template FILE"
            )
        return self._template.render(messages, enable_thinking=False)

    def tokenize(self, text: str) -> list[int]:
        """Token ids; special tokens in the text are recognised, none is added."""
        return list(self._tokenizer.encode(text, add_special_tokens=False))

    def detokenize(self, tokens: Sequence[int]) -> str:
        """The text of tokens, special ones by their name."""
        text: str = self._tokenizer.decode(list(tokens), clean_up_tokenization_spaces=False)
        return text

    def reset(self) -> None:
        """Nothing is kept between calls."""

    def generate(
        self,
        prompt: str,
        grammar: str | None,
        stop: Sequence[str],
        sampling: Sampling,
        on_token: OnToken,
    ) -> Generation:
        """Continue a prompt; where a grammar is asked for, to the end of the first JSON object.

        Raises:
            BackendError: torch failed.
        """
        text, end = StopText(stop), _ObjectEnd()
        with self._lock:
            tokens = self.tokenize(prompt)
            if not tokens:
                raise ModelError("prompt: it is empty; expected at least one token; add some")
            count, finish = 0, "length"
            pieces = self._pieces(tokens, sampling)
            try:
                for piece in pieces:
                    if piece is None:
                        finish = "stop"
                        break
                    count += 1
                    shown = text.feed(piece)
                    if shown:
                        on_token(shown)
                    if text.stopped or (grammar is not None and end.feed(piece)):
                        finish = "stop"
                        break
            finally:
                pieces.close()
        rest = text.finish()
        if rest:
            on_token(rest)
        return Generation(text.text, len(tokens), count, "stop" if finish == "stop" else "length")

    def logits(self, prompt: str) -> F32:
        """Next-token logits, (n_vocab,) float32.

        Raises:
            ModelError: the prompt is empty.
            BackendError: torch failed.
        """
        tokens = self.tokenize(prompt)
        if not tokens:
            raise ModelError("logits: an empty prompt; expected at least one token; add some")
        with self._lock, torch.inference_mode():
            try:
                made = self._model(input_ids=torch.tensor([tokens], device=self._device))
            except Exception as error:  # torch raises what it likes
                raise _failed(error) from None
            row: F32 = made.logits[0, -1].float().cpu().numpy()
        return row

    def identity(self) -> Mapping[str, Any]:
        """Model, libraries and settings."""
        files = sorted(self._folder.glob("*.safetensors")) if self._folder.is_dir() else []
        return {
            "kind": "transformers",
            "model": self._name,
            "clock": "wall",
            "model_sha256": sha256_of(files[0]) if len(files) == 1 else None,
            "transformers": transformers.__version__,
            "torch": torch.__version__,
            "device": self._device,
            "dtype": str(self._model.dtype),
            "template_sha256": self._template.sha256 if self._template else None,
            "sampler": "temperature, nucleus, mulberry32",
            "grammar": "prompt",
        }

    def _chosen_template(self, file: str | Path | None) -> ChatTemplate | None:
        special = {
            name: value
            for name, value in self._tokenizer.special_tokens_map.items()
            if isinstance(value, str)
        }
        if file is not None:
            return ChatTemplate.from_file(file, special)
        source = self._tokenizer.chat_template
        where = f"chat template of {self._name}"
        return ChatTemplate(source, special, where) if isinstance(source, str) else None

    def _run(self, tokens: list[int], sampling: Sampling) -> Iterator[str | None]:
        """Text of one token after another; None at the end of the text."""
        queue: SimpleQueue[int | Exception | None] = SimpleQueue()
        cancelled = Event()
        sampler = Sampler(sampling, len(tokens))
        worker = Thread(
            target=self._generate_into,
            args=(queue, cancelled, tokens, sampler, sampling.max_tokens),
            daemon=True,
        )
        worker.start()
        written: list[int] = []
        shown = ""
        try:
            while True:
                token = queue.get(timeout=WAIT_S)
                if isinstance(token, Exception):
                    raise _failed(token)
                if token is None:
                    return
                if token in self._ends:
                    yield None
                    return
                written.append(token)
                # Decoded as a whole, because pieces of a character come in tokens of their own.
                whole = self.detokenize(written)
                if not whole.endswith("�"):
                    yield whole[len(shown) :]
                    shown = whole
                else:
                    yield ""
        finally:
            cancelled.set()
            worker.join()

    def _generate_into(
        self,
        queue: SimpleQueue[int | Exception | None],
        cancelled: Event,
        tokens: list[int],
        sampler: Sampler,
        limit: int,
    ) -> None:
        """Run the model's own loop with our sampler, one token after another into a queue."""

        def draw(ids: Any, scores: Any) -> Any:
            token = sampler.draw(scores[0].float().cpu().numpy().astype(np.float32))
            queue.put(token)
            chosen = torch.full_like(scores, float("-inf"))
            chosen[0, token] = 0.0
            return chosen

        def stopped(ids: Any, scores: Any, **_: Any) -> Any:
            return torch.full((ids.shape[0],), cancelled.is_set(), device=ids.device)

        try:
            ids = torch.tensor([tokens], device=self._device)
            with torch.inference_mode():
                self._model.generate(
                    input_ids=ids,
                    attention_mask=torch.ones_like(ids),
                    logits_processor=transformers.LogitsProcessorList([draw]),
                    stopping_criteria=transformers.StoppingCriteriaList([stopped]),
                    # Its own, so that the habits of the model's configuration stay out.
                    generation_config=transformers.GenerationConfig(
                        do_sample=False,
                        max_new_tokens=limit,
                        eos_token_id=list(self._ends) or None,
                        pad_token_id=self._ends[0] if self._ends else None,
                    ),
                )
            queue.put(None)
        except Exception as error:  # torch raises what it likes
            queue.put(error)


class _ObjectEnd:
    """Notices the end of the first balanced `{...}`, strings respected."""

    def __init__(self) -> None:
        self._depth = 0
        self._inside = False
        self._escaped = False

    def feed(self, piece: str) -> bool:
        """Take more text; True once the object is complete."""
        for char in piece:
            if self._escaped:
                self._escaped = False
            elif self._inside and char == "\\":
                self._escaped = True
            elif char == '"' and self._depth:
                self._inside = not self._inside
            elif not self._inside and char == "{":
                self._depth += 1
            elif not self._inside and char == "}" and self._depth:
                self._depth -= 1
                if self._depth == 0:
                    return True
        return False


def _on_gpu(run: Callable[..., Iterator[str | None]]) -> Callable[..., Any]:
    """The generator inside `spaces.GPU`, where that package is there."""
    if find_spec("spaces") is None:
        return run
    decorated: Callable[..., Any] = import_module("spaces").GPU(run)
    return decorated


def _end_tokens(model: Any, tokenizer: Any) -> tuple[int, ...]:
    found = [tokenizer.eos_token_id]
    configured = getattr(model.generation_config, "eos_token_id", None)
    found += configured if isinstance(configured, list) else [configured]
    return tuple(dict.fromkeys(token for token in found if isinstance(token, int)))


def _unloaded(name: str, error: Exception) -> BackendError:
    reason = " ".join(str(error).split())[:300]
    if "trust_remote_code" in reason:
        return ModelError(
            f"model {name!r}: it would run code of its own, which is never done; expected a class "
            "of transformers; choose another model"
        )
    offline = any(
        word in reason.lower() for word in ("connect", "offline", "couldn't reach", "resolve host")
    )
    if offline and not Path(name).exists():
        return MissingError(
            f"model {name!r}: the hub cannot be reached; expected a network or a folder; "
            "download it elsewhere and give the folder"
        )
    return ModelError(
        f"model {name!r}: {reason}; expected a folder or a name on the hub with a model for text; "
        "check it"
    )


def _failed(error: Exception) -> BackendError:
    return BackendError(
        f"transformers: {type(error).__name__}: {' '.join(str(error).split())[:300]}; expected "
        "text; try a shorter prompt or another device"
    )
