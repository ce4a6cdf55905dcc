"""The context says what it is, what it can do, and what to install when it cannot be made."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import moderngl
import pytest

from godseed.render.context import (
    INSTALL,
    context,
    fingerprint,
    fingerprint_of,
    require_samples,
    require_size,
)
from godseed.render.errors import RenderError

LLVMPIPE = ("llvmpipe (LLVM 15.0.6, 256 bits)", "4.5 (Core Profile) Mesa 22.3.6")
ANGLE = (
    "ANGLE (Mesa, llvmpipe (LLVM 15.0.6 256 bits), OpenGL 4.5 (Core Profile) Mesa 22.3.6)",
    "WebGL 2.0 (OpenGL ES 3.0 Chromium)",
)


def test_one_context_serves_the_process(ctx: moderngl.Context) -> None:
    assert context() is ctx
    assert ctx.version_code >= 430


def test_fingerprint_names_rasteriser_and_samples(ctx: moderngl.Context) -> None:
    found = fingerprint(ctx, 4)
    assert found.renderer == ctx.info["GL_RENDERER"]
    assert found.key.endswith("-s4")
    assert found.key == fingerprint_of(found.renderer, found.version, 4).key


def test_browser_and_driver_on_the_same_rasteriser_share_a_key() -> None:
    key = "llvmpipe-mesa22.3.6-llvm15-256b-s4"
    assert fingerprint_of(*LLVMPIPE, 4).key == key
    assert fingerprint_of(*ANGLE, 4).key == key


@pytest.mark.parametrize(
    ("renderer", "version", "key"),
    [
        ("Mesa Intel(R) UHD 620", "4.6 Mesa 24.0.1-1", "mesa-intel-r-uhd-620-mesa24.0.1-s0"),
        (
            "NVIDIA H200/PCIe/SSE2",
            "4.6.0 NVIDIA 570.10",
            "nvidia-h200-pcie-sse2-4.6.0-nvidia-570.10-s0",
        ),
        ("", "", "unknown-unknown-s0"),
    ],
)
def test_fingerprint_of_other_drivers_is_a_plain_slug(
    renderer: str, version: str, key: str
) -> None:
    assert fingerprint_of(renderer, version, 0).key == key


def test_unknown_sample_count_is_refused(ctx: moderngl.Context) -> None:
    with pytest.raises(RenderError, match=r"samples: 3; expected 0, 2, 4 or 8"):
        require_samples(ctx, 3)


def test_more_samples_than_the_rasteriser_has_are_refused(ctx: moderngl.Context) -> None:
    if ctx.max_samples >= 8:
        assert require_samples(ctx, 8) == 8
    else:
        with pytest.raises(RenderError, match=r"samples: 8; expected at most \d+ on .*; choose"):
            require_samples(ctx, 8)


@pytest.mark.parametrize("size", [(0, 4), (4, -1), (1 << 20, 4)])
def test_impossible_size_is_refused(ctx: moderngl.Context, size: tuple[int, int]) -> None:
    with pytest.raises(RenderError, match=rf"size: {size[0]}x{size[1]}; expected each side from 1"):
        require_size(ctx, size)


def test_machine_without_egl_is_told_what_to_install(tmp_path: Path, repo_root: Path) -> None:
    nothing = str(tmp_path)
    program = (
        "from godseed.render.context import context\n"
        "from godseed.render.errors import MissingGLError\n"
        "try:\n    context()\nexcept MissingGLError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=repo_root,
        env={
            **os.environ,
            "__EGL_VENDOR_LIBRARY_DIRS": nothing,
            "__EGL_VENDOR_LIBRARY_FILENAMES": f"{nothing}/none.json",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("render.context: ")
    assert f"expected EGL with OpenGL 4.3 or newer; run '{INSTALL}'" in done.stdout
