"""Content addresses: the SHA-256 of everything that can change an item of work.

JSON text is never hashed: `12.0` and `12` are one number, and the order in which a mapping was
filled says nothing. Every value is written as a tag byte, the length of its bytes as uint64
little-endian, and the bytes:

    n nothing   b true or false   i whole number, decimal   d float64   s text, UTF-8   x bytes
    l list: its items   m mapping: key and value in turn, sorted by the bytes of the key
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

CHUNK = 1 << 20


def item_key(parts: Mapping[str, object]) -> str:
    """The key of an item of work.

    Args:
        parts: everything that can change its result, by name: texts, numbers, bytes, None, and
            lists and mappings of these. Leave out what cannot, such as paths and worker counts.
    Returns:
        64 hexadecimal digits.
    Raises:
        TypeError: a value is of another type; the message says which, and where.
    """
    return hashlib.sha256(canonical(parts)).hexdigest()


def canonical(value: object, where: str = "key") -> bytes:
    """The bytes that stand for a value.

    Raises:
        TypeError: as `item_key` says.
    """
    tag, data = _tagged(value, where)
    return tag + struct.pack("<Q", len(data)) + data


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes, hexadecimal.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _tagged(value: object, where: str) -> tuple[bytes, bytes]:
    if value is None:
        return b"n", b""
    if isinstance(value, bool):
        return b"b", b"\x01" if value else b"\x00"
    if isinstance(value, int):
        return b"i", str(value).encode()
    if isinstance(value, float):
        if value.is_integer():
            return b"i", str(int(value)).encode()
        return b"d", struct.pack("<d", value)
    if isinstance(value, str):
        return b"s", value.encode("utf-8", "surrogatepass")
    if isinstance(value, bytes | bytearray | memoryview):
        return b"x", bytes(value)
    if isinstance(value, Mapping):
        return b"m", _mapping(value, where)
    if isinstance(value, Sequence):
        return b"l", b"".join(canonical(one, f"{where}[{i}]") for i, one in enumerate(value))
    raise TypeError(
        f"{where}: {type(value).__name__}; expected text, number, bytes, None, or a list or "
        "mapping of these; convert it"
    )


def _mapping(value: Mapping[object, object], where: str) -> bytes:
    pairs: list[tuple[bytes, bytes]] = []
    for name, one in value.items():
        if not isinstance(name, str):
            raise TypeError(f"{where}: name {name!r}; expected text; convert it")
        pairs.append((canonical(name, where), canonical(one, f"{where}.{name}")))
    return b"".join(name + data for name, data in sorted(pairs))
