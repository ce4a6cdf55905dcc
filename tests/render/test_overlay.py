"""The overlay says what it is told, inside the picture, and can be read over anything."""

from __future__ import annotations

from dataclasses import replace

import moderngl
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from godseed.render.context import rest
from godseed.render.overlay import (
    GLYPH,
    Overlay,
    OverlayState,
    build_overlay,
    draw_overlay,
)

FULL = OverlayState(
    (1280, 720),
    wish="a lighthouse on a northern cape, for those who come home late",
    ticker_text="The cape is bare and the sea below it has no name. I raise the rock first.",
    epoch=17,
    granted=23,
    observation="ok: mountains risen at (12,40) (radius_deg 60 -> 45)",
    epitaph="A light was asked for, and the dark made room for it.",
)
F64 = npt.NDArray[np.float64]


def glyphs(overlay: Overlay) -> npt.NDArray[np.float32]:
    return np.asarray(overlay.rows[overlay.rows[:, 12] == GLYPH])


def drawn(ctx: moderngl.Context, state: OverlayState, grey: float) -> F64:
    """The overlay over an even grey, (h, w, 3) in 0..1, rows from the top down."""
    target = ctx.framebuffer([ctx.renderbuffer(state.size, 4)])
    target.use()
    target.clear(grey, grey, grey, 1.0)
    draw_overlay(ctx, target, build_overlay(state))
    raw = np.frombuffer(target.read(components=3, alignment=1), np.uint8)
    rest(ctx)
    return raw.reshape(state.size[1], state.size[0], 3)[::-1] / 255.0


def luminance(srgb: F64) -> F64:
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("size", [(1280, 720), (640, 360), (720, 1280), (1080, 1080), (3840, 2160)])
def test_everything_stays_inside_the_picture(size: tuple[int, int]) -> None:
    rows = glyphs(build_overlay(replace(FULL, size=size)))
    assert len(rows) > 150
    assert (rows[:, 0:2] >= 0.0).all()
    assert (rows[:, 2] <= size[0]).all()
    assert (rows[:, 3] <= size[1]).all()


def test_letters_scale_with_the_picture() -> None:
    small = glyphs(build_overlay(FULL))
    large = glyphs(build_overlay(replace(FULL, size=(2560, 1440))))
    assert np.allclose(large[:, 2] - large[:, 0], 2.0 * (small[:, 2] - small[:, 0]), atol=1e-3)


def test_nothing_to_say_leaves_the_wordmark_alone() -> None:
    assert len(glyphs(build_overlay(OverlayState((1280, 720))))) == len("GODSEED")


def test_ticker_words_do_not_jump_as_they_are_typed() -> None:
    text = "the rock first, then the lamp that turns above it, and grass around the door " * 2
    whole = glyphs(build_overlay(OverlayState((1280, 720), ticker_text=text)))
    for shown in (0, 1, 17, 60, 110):
        part = glyphs(
            build_overlay(OverlayState((1280, 720), ticker_text=text, ticker_shown=shown))
        )
        assert len(part) == 7 + len(text[:shown].replace(" ", ""))
        lines = len(np.unique(part[7:, 3].round())) if shown else 0
        assert lines <= len(part)
        assert np.allclose(part[7:, 0], whole[7 : len(part), 0])


def test_ticker_shows_its_last_three_lines() -> None:
    text = " ".join(f"line{i:04d} {'x' * 60}" for i in range(9))
    everything = build_overlay(OverlayState((1280, 720), ticker_text=text))
    assert len(glyphs(everything)) - 7 < 3 * 90


@pytest.mark.parametrize(
    ("granted", "said"), [(1, "Epoch2·1wishgranted"), (1234, "Epoch2·1,234wishesgranted")]
)
def test_counter_counts_in_words(granted: int, said: str) -> None:
    rows = glyphs(build_overlay(OverlayState((1280, 720), epoch=2, granted=granted)))
    assert len(rows) == 7 + len(said)


def test_long_texts_end_in_an_ellipsis_instead_of_leaving() -> None:
    state = OverlayState((640, 360), wish="a wish " * 60, epitaph="an epitaph " * 60)
    rows = glyphs(build_overlay(state))
    assert (rows[:, 3] <= 360).all()
    assert len(rows) < 500


def test_absent_card_draws_nothing() -> None:
    gone = build_overlay(replace(FULL, epitaph_fade=0.0))
    assert gone.rows.tobytes() == build_overlay(replace(FULL, epitaph="")).rows.tobytes()


@given(st.text(max_size=120), st.text(max_size=200), st.text(max_size=90))
def test_any_text_can_be_laid_out(wish: str, thought: str, epitaph: str) -> None:
    state = OverlayState((640, 360), wish=wish, ticker_text=thought, epitaph=epitaph)
    rows = build_overlay(state).rows
    assert np.isfinite(rows).all()
    assert rows.tobytes() == build_overlay(state).rows.tobytes()


@pytest.mark.parametrize("grey", [0.0, 0.25, 0.5])
def test_text_keeps_contrast_over_dark_and_bright_ground(
    ctx: moderngl.Context, grey: float
) -> None:
    """WCAG AA: 4.5 to 1 between the core of the letters and what is around them."""
    picture = luminance(drawn(ctx, FULL, grey))
    rows = glyphs(build_overlay(FULL))
    for top, bottom in ((30, 110), (560, 690), (430, 520)):
        inside = rows[(rows[:, 1] > top) & (rows[:, 3] < bottom)]
        assert len(inside) > 20
        for left, high, right, low in inside[::7, :4]:
            box = picture[int(high) : int(low) + 1, int(left) : int(right) + 1]
            contrast = (box.max() + 0.05) / (np.median(box) + 0.05)
            hairline = box.max() < 0.35  # dots and accents whose strokes are thinner than a pixel
            assert contrast > 4.5 or hairline


def test_overlay_leaves_the_middle_of_the_picture_alone(ctx: moderngl.Context) -> None:
    picture = drawn(ctx, replace(FULL, epitaph=""), 0.4)
    middle = picture[260:460]
    assert np.abs(middle - 0.4).max() < 0.005
