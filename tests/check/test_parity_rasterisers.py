"""Rung 3: the web client on SwiftShader in a real Chromium, against ours on Mesa."""

from __future__ import annotations

import pytest

from godseed.check.browser import client_page
from godseed.check.parity_pixels import compare_client
from godseed.check.parity_views import LARGE_SIZES, subjects


def test_another_rasteriser_stays_within_the_gates(capsys: pytest.CaptureFixture[str]) -> None:
    with client_page("swiftshader") as page:
        report = compare_client(page, subjects(4, 1, LARGE_SIZES))
    with capsys.disabled():
        print("", *report.lines(), sep="\n")
    assert report.agrees, "\n".join(report.lines())
    assert not report.same_rasteriser
    assert any(one.measured.pixels for one in report.compared)
