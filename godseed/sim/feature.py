"""A feature: one thing that a wish put into the world, a few numbers and a seed.

Features are compared and hashed by canonical bytes, never by JSON text (`12.0` and `12` are the
same number). All bytes are little-endian; texts are UTF-8 behind their length as uint32:

    id, wish_id, tool index uint8, then per argument of the spec, in its order: a tag byte (0
    absent, 1 number, 2 text or enum, 3 path), and float64 | text | uint32 count and that many
    pairs of float64; seed uint32, t float64.

Twin: web/sim/feature.js
"""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Final

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

from godseed.sim.arguments import TOOL_NAMES, TOOLS, ArgumentValue, quoted, restore

GENESIS_WISH: Final = "genesis"
MAX_SEED: Final = 0x7FFFFFFF
MAX_T: Final = 1e15
DIGEST_PREFIX: Final = b"godseed world 1\n"
_FIELDS: Final = ("id", "wish_id", "tool", "args", "seed", "t")
_FEATURE_ID = re.compile(r"f_[0-9]{6,9}")
_WISH_ID = re.compile(r"w_[0-9]{6,9}|genesis")


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature, checked and immutable.

    Attributes:
        id: `f_%06d`, its position in the world.
        wish_id: `w_%06d`, or `genesis`.
        tool: a name in `spec/tools.json`.
        args: canonical arguments in spec order, see `godseed.sim.arguments`.
        seed: uint31, the only randomness its geometry reads.
        t: seconds since the epoch of Unix when it landed, 0 for genesis.
    Raises:
        ValueError: a field is not valid; the message names it.
    """

    id: str
    wish_id: str
    tool: str
    args: Mapping[str, ArgumentValue]
    seed: int
    t: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not _FEATURE_ID.fullmatch(self.id):
            raise ValueError(f"feature.id: {quoted(self.id)}; expected f_ and six digits")
        check_wish_id(self.wish_id)
        if not isinstance(self.tool, str) or self.tool not in TOOLS:
            names = ", ".join(TOOL_NAMES)
            raise ValueError(f"feature.tool: {quoted(self.tool)}; expected one of {names}")
        if not isinstance(self.args, Mapping):
            raise ValueError(f"feature.args: {quoted(self.args)}; expected an object")
        if type(self.seed) is not int or not 0 <= self.seed <= MAX_SEED:
            raise ValueError(f"feature.seed: {quoted(self.seed)}; expected 0..{MAX_SEED}")
        if type(self.t) not in (int, float) or not -MAX_T < self.t < MAX_T:
            raise ValueError(f"feature.t: {quoted(self.t)}; expected seconds")
        args = MappingProxyType(restore(TOOLS[self.tool], self.args))
        object.__setattr__(self, "args", args)
        object.__setattr__(self, "t", self.t + 0.0)

    def __hash__(self) -> int:
        """Hash of the id; equal features have equal ids."""
        return hash(self.id)

    def __reduce__(self) -> tuple[type[Feature], tuple[Any, ...]]:
        """Pickle by value: a mapping proxy does not pickle."""
        return Feature, (self.id, self.wish_id, self.tool, dict(self.args), self.seed, self.t)

    @staticmethod
    def from_dict(value: object) -> Feature:
        """Read the parsed JSON object of a feature.

        Raises:
            ValueError: it is not a feature; the message names the field.
        """
        if not isinstance(value, Mapping):
            raise ValueError(f"feature: {quoted(value)}; expected an object")
        if len(value) != len(_FIELDS) or any(name not in value for name in _FIELDS):
            names = ", ".join(quoted(name) for name in value)
            raise ValueError(f"feature: has {names}; expected {', '.join(_FIELDS)}")
        return Feature(*(value[name] for name in _FIELDS))

    @staticmethod
    def from_json(text: str) -> Feature:
        """Read the JSON text of a feature.

        Raises:
            ValueError: it is not JSON, or not a feature.
        """
        return Feature.from_dict(json.loads(text))

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready object: fields and arguments in spec order, whole numbers as integers."""
        return {
            "id": self.id,
            "wish_id": self.wish_id,
            "tool": self.tool,
            "args": {name: _json_value(value) for name, value in self.args.items()},
            "seed": self.seed,
            "t": _json_value(self.t),
        }

    def to_json(self) -> str:
        """Compact JSON text on one line."""
        return json.dumps(self.to_dict(), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[Any], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Let pydantic models hold features."""
        return core_schema.no_info_plain_validator_function(
            lambda value: value if isinstance(value, Feature) else Feature.from_dict(value),
            serialization=core_schema.plain_serializer_function_ser_schema(Feature.to_dict),
        )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """JSON Schema of a feature, arguments left to their own schema."""
        return {
            "type": "object",
            "properties": {
                "id": {"type": "string", "pattern": f"^{_FEATURE_ID.pattern}$"},
                "wish_id": {"type": "string", "pattern": f"^({_WISH_ID.pattern})$"},
                "tool": {"enum": list(TOOL_NAMES)},
                "args": {"type": "object"},
                "seed": {"type": "integer", "minimum": 0, "maximum": MAX_SEED},
                "t": {"type": "number"},
            },
            "required": list(_FIELDS),
            "additionalProperties": False,
        }


def feature_id(index: int) -> str:
    """Id of the feature at a position in the world: `f_000017`."""
    return f"f_{index:06d}"


def wish_id(number: int) -> str:
    """Id of a wish: `w_000005`."""
    return f"w_{number:06d}"


def check_wish_id(value: object) -> None:
    """Refuse what is not the id of a wish.

    Raises:
        ValueError: it is neither `genesis` nor `w_` and digits.
    """
    if not isinstance(value, str) or not _WISH_ID.fullmatch(value):
        raise ValueError(f"wish_id: {quoted(value)}; expected w_ and six digits, or genesis")


def feature_seed(wish_id: str, call_index: int) -> int:
    """Seed of the feature that a wish's call makes; uint31.

    Args:
        wish_id: of the wish.
        call_index: 0-based number of the call inside the wish, rejected ones counted.
    """
    return zlib.crc32(f"{wish_id}:{call_index}".encode()) & MAX_SEED


def canonical_bytes(feature: Feature) -> bytes:
    """The bytes that stand for a feature on every machine and in both languages."""
    tool = TOOLS[feature.tool]
    parts = [_text_bytes(feature.id), _text_bytes(feature.wish_id), bytes([tool.index])]
    parts += [_value_bytes(feature.args.get(row.name)) for row in tool.args]
    parts.append(struct.pack("<Id", feature.seed, feature.t))
    return b"".join(parts)


def world_digest(features: Iterable[Feature]) -> str:
    """SHA-256 of a feature list, hexadecimal: rung 0 of the ladder."""
    digest = sha256(DIGEST_PREFIX)
    for feature in features:
        digest.update(canonical_bytes(feature))
    return digest.hexdigest()


def _value_bytes(value: ArgumentValue | None) -> bytes:
    if value is None:
        return b"\x00"
    if isinstance(value, str):
        return b"\x02" + _text_bytes(value)
    if isinstance(value, tuple):
        pairs = b"".join(struct.pack("<dd", lat, lon) for lat, lon in value)
        return b"\x03" + struct.pack("<I", len(value)) + pairs
    return b"\x01" + struct.pack("<d", value)


def _text_bytes(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<I", len(data)) + data


def _json_value(value: ArgumentValue) -> Any:
    if isinstance(value, tuple):
        return [[_json_value(lat), _json_value(lon)] for lat, lon in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return value
