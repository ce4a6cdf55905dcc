"""Clips hold every frame, come out the same twice, and appear whole or not at all."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pillow

from godseed.render.comment import read_comment, write_comment
from godseed.render.errors import RenderError
from godseed.render.ffmpeg import executable, probe
from godseed.render.image import U8
from godseed.render.video import COMMENT, Clip, VideoWriter

SIZE = (64, 48)
COUNT, FPS = 24, 24


def frames(count: int = COUNT) -> Iterator[U8]:
    """A lamp crossing a dark slope."""
    y, x = np.mgrid[0 : SIZE[1], 0 : SIZE[0]]
    for i in range(count):
        lamp = np.maximum(0, 200 - 24 * np.abs(x - 2 * i) - 9 * np.abs(y - 20))
        red = np.minimum(255, 30 + y + lamp)
        yield np.stack([red, 25 + y, 60 + x, 0 * x + 255], axis=2).astype(np.uint8)


def write(path: Path, count: int = COUNT) -> Clip:
    with VideoWriter(path, SIZE, FPS) as writer:
        for frame in frames(count):
            writer.write(frame)
    assert writer.clip is not None
    return writer.clip


def raw_digest() -> str:
    digest = hashlib.sha256()
    for frame in frames():
        digest.update(frame[:, :, :3].tobytes())
    return digest.hexdigest()


@pytest.mark.parametrize("extension", ["mp4", "gif", "webp"])
def test_the_same_frames_give_the_same_file(tmp_path: Path, extension: str) -> None:
    first, again = (write(tmp_path / f"{i}.{extension}") for i in (1, 2))
    assert first.digest == again.digest == raw_digest()
    assert first.path.read_bytes() == again.path.read_bytes()
    assert sorted(tmp_path.iterdir()) == [first.path, again.path]


def test_mp4_states_what_it_holds(tmp_path: Path) -> None:
    clip = write(tmp_path / "a.mp4")
    found = probe(clip.path)
    assert (found.size, found.frames, found.fps) == (SIZE, COUNT, Fraction(FPS))
    assert clip.frames == COUNT
    assert found.pixel_format.startswith("yuv420p(tv, bt709")
    assert found.comment == COMMENT + clip.digest
    assert (found.codec, found.duration_s, found.faststart) == ("h264", COUNT / FPS, True)
    data = clip.path.read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")


@pytest.mark.parametrize("extension", ["gif", "webp"])
def test_animations_state_the_digest_of_their_frames(tmp_path: Path, extension: str) -> None:
    clip = write(tmp_path / f"a.{extension}")
    assert read_comment(clip.path) == COMMENT + clip.digest
    with Pillow.open(clip.path) as opened:
        assert getattr(opened, "n_frames", 1) > 1
        opened.seek(getattr(opened, "n_frames", 1) - 1)
        opened.load()


def test_comment_in_other_files_is_refused_and_not_found(tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_bytes(b"\x00" * 20)
    assert read_comment(tmp_path / "a.mp4") == ""
    with pytest.raises(RenderError, match="expected GIF89a or WebP"):
        write_comment(tmp_path / "a.mp4", "text")


def test_mp4_keeps_the_colours(tmp_path: Path) -> None:
    clip = write(tmp_path / "a.mp4")
    exact = "scale=flags=bicubic+accurate_rnd+full_chroma_int"
    source = ("-v", "error", "-i", str(clip.path), "-vf", exact)
    raw = ("-f", "rawvideo", "-pix_fmt", "rgb24", "-")
    done = subprocess.run([executable(), *source, *raw], capture_output=True, check=True)
    shown = np.frombuffer(done.stdout, np.uint8).reshape(COUNT, SIZE[1], SIZE[0], 3)
    wanted = np.stack([frame[:, :, :3] for frame in frames()]).astype(int)
    assert np.abs(shown - wanted).mean() < 3.0
    assert np.abs((shown - wanted).mean(axis=(0, 1, 2))).max() < 1.0


@pytest.mark.parametrize("extension", ["gif", "webp"])
def test_animations_last_as_long_as_their_frames(tmp_path: Path, extension: str) -> None:
    clip = write(tmp_path / f"a.{extension}")
    with Pillow.open(clip.path) as opened:
        lasted = 0
        for i in range(getattr(opened, "n_frames", 1)):
            opened.seek(i)
            opened.load()
            lasted += opened.info["duration"]
        assert opened.size == SIZE
        assert opened.info["loop"] == 0
    assert lasted == pytest.approx(1000 * COUNT / FPS, abs=20)


def test_odd_size_for_mp4_names_the_even_one(tmp_path: Path) -> None:
    with pytest.raises(RenderError, match=r"size 63x48; expected even sides.*; use 64x48"):
        VideoWriter(tmp_path / "a.mp4", (63, 48), 30)


@pytest.mark.parametrize(
    ("name", "fps", "wording"),
    [
        ("a.avi", 30, r"extension '\.avi'; expected one of \.mp4, \.gif, \.webp"),
        ("a", 30, r"extension ''; expected one of"),
        ("a.mp4", 0, r"0 frames per second; expected 1 to 240 for \.mp4"),
        ("a.gif", 60, r"60 frames per second; expected 1 to 50 for \.gif"),
        ("none/a.mp4", 30, r"expected a folder that can be written"),
    ],
)
def test_what_does_not_fit_is_refused_before_ffmpeg_starts(
    tmp_path: Path, name: str, fps: int, wording: str
) -> None:
    with pytest.raises(RenderError, match=wording):
        VideoWriter(tmp_path / name, SIZE, fps)
    assert not list(tmp_path.iterdir())


def test_frame_of_another_size_ends_the_clip(tmp_path: Path) -> None:
    def mixed() -> None:
        with VideoWriter(tmp_path / "a.mp4", SIZE, FPS) as writer:
            writer.write(next(frames()))
            writer.write(np.zeros((8, 8, 3), np.uint8))

    with pytest.raises(RenderError, match=r"frame 1 is 8x8; expected 64x48"):
        mixed()
    assert not list(tmp_path.iterdir())


def test_failure_in_the_middle_leaves_the_clip_that_was_there(tmp_path: Path) -> None:
    old = tmp_path / "a.mp4"
    old.write_bytes(b"old")

    def interrupted() -> None:
        with VideoWriter(old, SIZE, FPS) as writer:
            writer.write(next(frames()))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [path.name for path in tmp_path.iterdir()] == ["a.mp4"]
    assert old.read_bytes() == b"old"


def test_clip_without_frames_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RenderError, match=r"a\.mp4: no frames; expected at least one"):
        write(tmp_path / "a.mp4", count=0)
    assert not list(tmp_path.iterdir())


def test_ffmpeg_that_gives_up_is_quoted(tmp_path: Path) -> None:
    writer = VideoWriter(tmp_path / "a.webp", (20_000, 2), 30)
    writer.write(np.zeros((2, 20_000, 3), np.uint8))
    with pytest.raises(RenderError, match=r"a\.webp: ffmpeg ended with code .*; it said: "):
        writer.close()
    assert not list(tmp_path.iterdir())


def test_probe_refuses_what_is_no_clip(tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_text("no clip")
    with pytest.raises(RenderError, match=r"a\.mp4: ffmpeg ended with code"):
        probe(tmp_path / "a.mp4")
    with pytest.raises(RenderError, match=r"b\.mp4: no such file"):
        probe(tmp_path / "b.mp4")
