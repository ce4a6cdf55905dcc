"""A comment inside GIF and WebP files, which ffmpeg does not write there.

GIF: a comment extension before the trailer, in blocks of at most 255 bytes (GIF89a, section 24).
WebP: a chunk named `gods` at the end of the RIFF container; readers skip chunks that they do not
know (WebP container specification, "Unknown Chunks").
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

from godseed.render.errors import RenderError

GIF_INTRODUCER, GIF_TRAILER = b"\x21\xfe", b"\x3b"
GIF_BLOCK = 255
WEBP_CHUNK = b"gods"
TAIL = 1 << 12
"""A GIF's comment lies in the last bytes of its file; longer ones are not written."""
LONGEST = 1 << 11


def write_comment(path: Path, text: str) -> None:
    """Add a comment to a GIF or WebP file.

    Args:
        text: ASCII, at most 2048 characters.
    Raises:
        RenderError: the file is neither, or the text is too long.
    """
    data = text.encode("ascii")
    with path.open("r+b") as file:
        head = file.read(12)
        file.seek(0, 2)
        size = file.tell()
        if len(data) > LONGEST:
            raise RenderError(f"{path}: comment of {len(data)} bytes; expected at most {LONGEST}")
        if head[:6] == b"GIF89a":
            blocks = [data[i : i + GIF_BLOCK] for i in range(0, len(data), GIF_BLOCK)]
            body = b"".join(bytes([len(block)]) + block for block in blocks) + b"\0"
            file.seek(size - 1)
            if file.read(1) != GIF_TRAILER:
                raise RenderError(f"{path}: no trailer; expected a whole GIF; make it again")
            file.seek(size - 1)
            file.write(GIF_INTRODUCER + body + GIF_TRAILER)
        elif head[:4] == b"RIFF" and head[8:] == b"WEBP":
            even = data + b"\0" * (len(data) % 2)
            file.write(WEBP_CHUNK + struct.pack("<I", len(data)) + even)
            file.seek(4)
            file.write(struct.pack("<I", size + len(even)))
        else:
            raise RenderError(f"{path}: begins with {head[:6]!r}; expected GIF89a or WebP")


def read_comment(path: Path) -> str:
    """The comment that `write_comment` left in a file, empty if there is none."""
    with path.open("rb") as file:
        head = file.read(12)
        if head[:4] == b"RIFF" and head[8:] == b"WEBP":
            return _webp_text(file)
        if head[:6] != b"GIF89a":
            return ""
        file.seek(0, 2)
        file.seek(max(0, file.tell() - TAIL))
        tail = file.read()
    return _gif_text(tail[tail.rfind(GIF_INTRODUCER) + 2 :])


def _webp_text(file: BinaryIO) -> str:
    while len(head := file.read(8)) == 8:
        name, size = struct.unpack("<4sI", head)
        if name == WEBP_CHUNK:
            return file.read(size).decode("ascii", "replace")
        file.seek(size + size % 2, 1)
    return ""


def _gif_text(data: bytes) -> str:
    """The text of the blocks that end a file; empty if something else does."""
    parts: list[bytes] = []
    while data and data[0]:
        parts.append(data[1 : 1 + data[0]])
        data = data[1 + data[0] :]
    return b"".join(parts).decode("ascii", "replace") if data == b"\0" + GIF_TRAILER else ""
