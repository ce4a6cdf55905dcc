"""llama.cpp through its C interface: weights and vocabulary, a context, a grammar.

`llama_cpp.Llama` is not used: it copies every row of logits, hides whether the cache could be cut,
and checks no grammar. What is called here is `llama.h` and nothing below it. Nothing in this module
knows of chats, wishes or sampling.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, Final
from weakref import finalize

import numpy as np
import numpy.typing as npt

from godseed.mind.backends import BackendError, MissingError, ModelError
from godseed.mind.backends.sampling import Ids
from godseed.mind.gbnf import GrammarError, validate_gbnf
from godseed.sim.maths import F32

INSTALL: Final = (
    'CMAKE_ARGS="-DGGML_NATIVE=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DLLAVA_BUILD=OFF" '
    "pip install llama-cpp-python"
)
MAGIC: Final = b"GGUF"
N_BATCH: Final = 512
FIRST_OF_MANY: Final = 0x80
"""Bytes from here on are parts of characters that take several."""
_TOKEN_DATA = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])
_ERROR_LEVEL = 4


@cache
def library() -> Any:
    """The bindings of llama.cpp, with its chatter turned off.

    Raises:
        MissingError: not installed, or the shared library cannot be loaded.
    """
    # Threads that spin while they wait are ten times slower as soon as a core is shared.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        import llama_cpp as bindings
    except Exception as error:  # a missing module, or a shared library that will not load
        reason = " ".join(str(error).split())
        raise MissingError(f"llama.cpp: {reason}; run: {INSTALL}") from None
    bindings.llama_log_set(_hear, ctypes.c_void_p(0))
    bindings.llama_backend_init()
    return bindings


class Weights:
    """A model file in memory, and its vocabulary.

    Attributes:
        path: of the GGUF file.
        metadata: its keys and values, as text.
        n_vocab: tokens in the vocabulary.
        n_ctx_train: tokens that it was trained to look back on.
        recurrent: its state cannot be cut back to an earlier token (Mamba and its hybrids).
        end_token: what it writes at the end of a text; -1 if nothing.
    """

    def __init__(self, path: Path) -> None:
        """Load a GGUF file; the operating system shares it between processes.

        Raises:
            ModelError: no such file, not GGUF, or an architecture that this build does not know.
        """
        _check_magic(path)
        lib = library()
        with _listening() as heard:
            self._model = lib.llama_model_load_from_file(
                os.fsencode(path), lib.llama_model_default_params()
            )
        if not self._model:
            raise ModelError(
                f"model {str(path)!r}: {heard() or 'llama.cpp could not load it'}; "
                "expected a whole GGUF file of a kind that it knows; fetch it again"
            )
        finalize(self, lib.llama_model_free, self._model)
        self.path = path
        self.vocab = lib.llama_model_get_vocab(self._model)
        self.n_vocab = int(lib.llama_vocab_n_tokens(self.vocab))
        self.n_ctx_train = int(lib.llama_model_n_ctx_train(self._model))
        self.recurrent = bool(
            lib.llama_model_is_recurrent(self._model) or lib.llama_model_is_hybrid(self._model)
        )
        self.metadata = dict(map(self._entry, range(lib.llama_model_meta_count(self._model))))
        eos = int(lib.llama_vocab_eos(self.vocab))
        self.end_token = eos if eos >= 0 else int(lib.llama_vocab_eot(self.vocab))
        self._pieces: dict[int, bytes] = {}

    def new_context(self, n_ctx: int, threads: int) -> Any:
        """A fresh llama_context; `Context` owns it.

        Raises:
            BackendError: there is not enough memory.
        """
        lib = library()
        params = lib.llama_context_default_params()
        params.n_ctx, params.n_batch, params.n_ubatch = n_ctx, N_BATCH, N_BATCH
        params.n_threads = params.n_threads_batch = threads
        params.no_perf = True
        with _listening() as heard:
            made = lib.llama_init_from_model(self._model, params)
        if not made:
            raise BackendError(
                f"llama.cpp: {heard() or 'no context'}; expected memory for {n_ctx} tokens; "
                "ask for fewer with n_ctx"
            )
        return made

    def tokenize(self, text: str) -> list[int]:
        """Ids of a text; special tokens written in it are recognised, none is added."""
        lib, data = library(), text.encode("utf-8", "replace")
        room = len(data) + 8
        tokens = (ctypes.c_int32 * room)()
        count = lib.llama_tokenize(self.vocab, data, len(data), tokens, room, False, True)
        if count < 0:
            tokens = (ctypes.c_int32 * -count)()
            count = lib.llama_tokenize(self.vocab, data, len(data), tokens, -count, False, True)
        return list(tokens[:count])

    def piece(self, token: int) -> bytes:
        """The bytes of a token; of a special one, its name."""
        known = self._pieces.get(token)
        if known is None:
            lib, room = library(), 64
            while True:
                buffer = ctypes.create_string_buffer(room)
                count = lib.llama_token_to_piece(self.vocab, token, buffer, room, 0, True)
                if count >= 0:
                    break
                room = -count
            known = self._pieces[token] = buffer.raw[:count]
        return known

    def text(self, token: int) -> str:
        """The name of a token in the vocabulary; empty for -1, which stands for none."""
        named = library().llama_vocab_get_text(self.vocab, token) if token >= 0 else b""
        return (named or b"").decode("utf-8", "replace")

    def is_end(self, token: int) -> bool:
        """Whether a token ends a generation."""
        return bool(library().llama_vocab_is_eog(self.vocab, token))

    def is_control(self, token: int) -> bool:
        """Whether a token is a mark of the chat format, or ends a generation."""
        return bool(self.control[token])

    @cached_property
    def control(self) -> npt.NDArray[np.bool_]:
        """`is_control` of every token, (n_vocab,) bool."""
        lib = library()
        marks = (
            lib.llama_vocab_is_control(self.vocab, token)
            or lib.llama_vocab_is_eog(self.vocab, token)
            for token in range(self.n_vocab)
        )
        return np.fromiter(marks, np.bool_, self.n_vocab)

    @cached_property
    def first_bytes(self) -> tuple[npt.NDArray[np.uint8], Ids]:
        """First byte of every token, and for each byte the token that is that byte alone.

        Returns:
            (n_vocab,) uint8, and (256,) token ids, -1 where no token is that byte alone, and
            for bytes that begin a longer character, of which a grammar cannot always tell.
        """
        first = np.zeros(self.n_vocab, np.uint8)
        alone = np.full(256, -1, np.intp)
        for token in range(self.n_vocab):
            piece = self.piece(token)
            if piece and not self.control[token]:
                first[token] = piece[0]
                if len(piece) == 1 and piece[0] < FIRST_OF_MANY:
                    alone[piece[0]] = token
        return first, alone

    def special_tokens(self) -> dict[str, str]:
        """Names of the tokens that chat templates write: `bos_token` and `eos_token`."""
        lib = library()
        return {
            "bos_token": self.text(lib.llama_vocab_bos(self.vocab)),
            "eos_token": self.text(lib.llama_vocab_eos(self.vocab)),
        }

    def _entry(self, index: int) -> tuple[str, str]:
        lib = library()
        return (
            _read(lib.llama_model_meta_key_by_index, self._model, index),
            _read(lib.llama_model_meta_val_str_by_index, self._model, index),
        )


@lru_cache(maxsize=2)
def load_weights(path: Path, size: int, modified_ns: int) -> Weights:
    """Weights of a file, loaded once per process while the file stays as it is."""
    return Weights(path)


class Context:
    """What a model has read so far, and the logits of what may come next.

    Attributes:
        tokens: that are evaluated, in order.
        evaluated: how many tokens were evaluated in all; a measure of work.
    """

    def __init__(self, weights: Weights, n_ctx: int, threads: int) -> None:
        """Args: n_ctx: tokens that fit. threads: that work on one evaluation."""
        self._weights = weights
        self._made = weights.new_context(n_ctx, threads)
        finalize(self, library().llama_free, self._made)
        self._memory = library().llama_get_memory(self._made)
        self.n_ctx = int(library().llama_n_ctx(self._made))
        self.tokens: list[int] = []
        self.evaluated = 0

    def reset(self) -> None:
        """Forget everything."""
        library().llama_memory_clear(self._memory, True)
        self.tokens = []

    def keep(self, count: int) -> int:
        """Cut back to the first `count` tokens.

        Returns:
            How many are left: `count`, or 0 where the model's memory cannot be cut.
        """
        if count < len(self.tokens):
            cut = library().llama_memory_seq_rm(self._memory, 0, count, -1)
            if not cut:
                self.reset()
                return 0
            del self.tokens[count:]
        return count

    def read(self, tokens: Sequence[int]) -> F32:
        """Evaluate more tokens, at least one, in chunks of `N_BATCH`.

        Returns:
            Logits after the last, (n_vocab,) float32: a view that the next call overwrites.
        Raises:
            BackendError: they do not fit, or llama.cpp failed.
        """
        lib = library()
        if len(self.tokens) + len(tokens) > self.n_ctx:
            raise BackendError(
                f"llama.cpp: {len(self.tokens) + len(tokens)} tokens; expected at most "
                f"{self.n_ctx}; shorten the prompt, or ask for a larger context with n_ctx"
            )
        for start in range(0, len(tokens), N_BATCH):
            chunk = tokens[start : start + N_BATCH]
            array = (ctypes.c_int32 * len(chunk))(*chunk)
            with _listening() as heard:
                code = lib.llama_decode(self._made, lib.llama_batch_get_one(array, len(chunk)))
            if code:
                self.reset()
                raise BackendError(
                    f"llama.cpp: {heard() or 'evaluation failed'} (code {code}); expected logits; "
                    "try again, with a smaller n_ctx if memory is short"
                )
            self.tokens.extend(chunk)
            self.evaluated += len(chunk)
        pointer = lib.llama_get_logits_ith(self._made, -1)
        logits: F32 = np.ctypeslib.as_array(pointer, shape=(self._weights.n_vocab,))
        return logits


class GrammarState:
    """Where in a grammar a text has come to; tells which tokens may come next."""

    def __init__(self, weights: Weights, text: str) -> None:
        """Args: text: GBNF with a rule `root`.

        Raises:
            ModelError: it is unsafe, unbounded, or llama.cpp does not take it.
        """
        try:
            validate_gbnf(text)
        except GrammarError as error:
            raise ModelError(str(error)) from None
        self._weights = weights
        self._made = library().llama_sampler_init_grammar(weights.vocab, text.encode(), b"root")
        if not self._made:
            raise ModelError("grammar: llama.cpp does not take it; expected GBNF; simplify it")
        finalize(self, library().llama_sampler_free, self._made)
        self._partial = b""

    def allowed(self, ids: Ids) -> npt.NDArray[np.bool_]:
        """Which of these tokens may come next, (k,) bool.

        A token that would break UTF-8 may not, nor one that is a mark of the chat format, which
        would pass as the letters of its name.
        """
        if len(ids) == self._weights.n_vocab:
            return self._allowed_of_all()[ids]
        mask = self.passes(ids)
        for at in np.flatnonzero(mask & self._weights.control[ids]):
            mask[at] = self._weights.is_end(int(ids[at]))
        if len(ids) == 1 or self._partial:
            for at in np.flatnonzero(mask):
                mask[at] = self._is_text(int(ids[at]))
        return mask

    def accept(self, token: int) -> None:
        """Go on by a token that is allowed.

        Raises:
            ModelError: it is not.
        """
        if not self.allowed(np.array([token]))[0]:
            raise ModelError(f"grammar: token {token} is not allowed here; check before accepting")
        library().llama_sampler_accept(self._made, token)
        if not self._weights.is_end(token):
            self._partial = _unfinished(self._partial + self._weights.piece(token)) or b""

    def is_complete(self) -> bool:
        """Whether nothing but the end of the text may come next."""
        end = self._weights.end_token
        if end < 0 or not self.allowed(np.array([end]))[0]:
            return False
        return not (self._allowed_of_all() & ~self._weights.control).any()

    def _allowed_of_all(self) -> npt.NDArray[np.bool_]:
        """`allowed` of the whole vocabulary.

        A token can only pass if its first byte does, so one token for each first byte is tried,
        and then no more than those that share theirs.
        """
        first, alone = self._weights.first_bytes
        may_begin = np.ones(len(alone), np.bool_)
        tried = np.flatnonzero(alone >= 0)
        may_begin[tried] = self.passes(alone[tried])
        candidates = np.flatnonzero(may_begin[first] | self._weights.control)
        mask = np.zeros(self._weights.n_vocab, np.bool_)
        if 0 < len(candidates) < self._weights.n_vocab:
            mask[candidates] = self.allowed(candidates)
        elif len(candidates):
            mask[:-1] = self.allowed(candidates[:-1])
            mask[-1] = self.allowed(candidates[-1:])[0]
        return mask

    def passes(self, ids: Ids) -> npt.NDArray[np.bool_]:
        """What llama.cpp's grammar leaves of these tokens, (k,) bool."""
        lib = library()
        data = np.zeros(len(ids), _TOKEN_DATA)
        data["id"] = ids
        array = lib.llama_token_data_array(
            data.ctypes.data_as(lib.llama_token_data_p), len(ids), -1, False
        )
        lib.llama_sampler_apply(self._made, ctypes.byref(array))
        mask: npt.NDArray[np.bool_] = np.isfinite(data["logit"])
        return mask

    def _is_text(self, token: int) -> bool:
        if self._weights.is_end(token):
            return not self._partial
        return _unfinished(self._partial + self._weights.piece(token)) is not None


def _check_magic(path: Path) -> None:
    try:
        with path.open("rb") as file:
            start = file.read(len(MAGIC))
    except OSError as error:
        raise ModelError(
            f"model {str(path)!r}: {error.strerror}; expected a GGUF file; check the path"
        ) from None
    if start != MAGIC:
        raise ModelError(
            f"model {str(path)!r}: begins with {start!r}; expected {MAGIC!r}; give a GGUF file"
        )


def _unfinished(data: bytes) -> bytes | None:
    """The begun character at the end of UTF-8; None if the bytes cannot be UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        begun = error.reason == "unexpected end of data"
        return data[error.start :] if begun else None
    return b""


def _read(get: Callable[..., int], model: Any, index: int) -> str:
    """A text of any length from a C function that fills a buffer."""
    room = 256
    while True:
        buffer = ctypes.create_string_buffer(room)
        length = get(model, index, buffer, room)
        if length < room:
            return buffer.value.decode("utf-8", "replace")
        room = length + 1


_heard: list[str] = []


@contextmanager
def _listening() -> Iterator[Callable[[], str]]:
    """Collect what llama.cpp reports as errors; yields what tells the first of them."""
    _heard.clear()
    yield lambda: _heard[0] if _heard else ""


def _hear_error(level: int, text: bytes, _: Any) -> None:
    if level == _ERROR_LEVEL and len(_heard) < 8:
        line = " ".join(text.decode("utf-8", "replace").split())
        if line:
            _heard.append(line)


_hear: Any = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)(_hear_error)
"""Kept for the life of the process: llama.cpp holds its address."""
