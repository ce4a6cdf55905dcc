"""The twins compared through a real Chromium on this machine's Mesa, and every kind of difference
caught and named: the specification that the client reads is spoilt on purpose."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from godseed.check.browser import browse, client_site, serve
from godseed.check.generate import generated_world
from godseed.check.parity_pixels import PixelReport, compare_client
from godseed.check.parity_views import Subject, View, subjects
from godseed.spec import text

FRAMES = 24
TOWN = Subject(
    "town",
    tuple(generated_world(11, 10, ("build_district", "place_structure", "place_road")).features),
    {},
    (View("gaze:f_000006", 4000, (256, 144), 0),),
)


@pytest.fixture(scope="module")
def compared() -> Iterator[Callable[..., PixelReport]]:
    """Compares worlds while the client reads some files of the specification in another form:
    (worlds, {file: text}) -> report. One browser, as one thread can drive only one."""
    overrides: dict[str, bytes] = {}
    with serve(client_site(overrides)) as url, browse(f"{url}/?driven") as page:

        def compare(worlds: Any, spoilt: dict[str, str] | None = None) -> PixelReport:
            overrides.clear()
            overrides.update({f"/spec/{name}": s.encode() for name, s in (spoilt or {}).items()})
            page.reload()
            page.wait_for_function("() => window.godseed")
            return compare_client(page, worlds)

        yield compare


def spoilt_json(name: str, change: Callable[[Any], None]) -> dict[str, str]:
    document = json.loads(text(name))
    change(document)
    return {name: json.dumps(document)}


def test_generated_worlds_have_the_same_geometry_and_pixels_in_the_browser(
    compared: Callable[..., PixelReport],
) -> None:
    report = compared(subjects(FRAMES))
    assert report.agrees, "\n".join(report.lines())
    assert report.same_rasteriser
    assert len(report.compared) == FRAMES
    assert all(one.measured.pixels == 0 for one in report.compared)


def test_wrong_constant_is_caught_and_named(compared: Callable[..., PixelReport]) -> None:
    def change(document: Any) -> None:
        document["bloom"]["threshold"] = 0.4

    report = compared([TOWN], spoilt_json("postprocess.json", change))
    assert not report.agrees
    assert report.compared[0].rung == "pixels"
    assert not report.geometry
    assert report.causes == ["postprocess.json: bloom.threshold is 0.66 here and 0.4 there"]


def test_swapped_draw_order_is_caught_and_named(compared: Callable[..., PixelReport]) -> None:
    def change(document: Any) -> None:
        rows = document["materials"]
        names = [row["name"] for row in rows]
        a, b = names.index("kit_glow"), names.index("sky")
        rows[a], rows[b] = rows[b], rows[a]

    report = compared([TOWN], spoilt_json("materials.json", change))
    assert report.compared[0].rung == "pixels"
    assert len(report.causes) == 1
    assert "materials.json: materials are planet, kit, sky" in report.causes[0]
    assert "here and planet, kit, kit_glow" in report.causes[0]


def test_changed_blend_state_is_caught_and_named(compared: Callable[..., PixelReport]) -> None:
    def change(document: Any) -> None:
        document["states"]["add"]["blend"] = ["one", "zero"]

    report = compared([TOWN], spoilt_json("materials.json", change))
    assert report.compared[0].rung == "pixels"
    assert report.causes == ['materials.json: states.add.blend[1] is "one" here and "zero" there']


def test_changed_depth_function_is_caught_and_named(compared: Callable[..., PixelReport]) -> None:
    def change(document: Any) -> None:
        document["states"]["background"]["depth_func"] = "always"

    report = compared([TOWN], spoilt_json("materials.json", change))
    assert report.compared[0].rung == "pixels"
    assert report.causes == [
        'materials.json: states.background.depth_func is "lequal" here and "always" there'
    ]


def test_changed_shader_is_caught_and_its_line_named(compared: Callable[..., PixelReport]) -> None:
    line = "  vec3 color = albedo * diffuse_light(n, v_up, sunlit) * foot * under;"
    source = text("glsl/kit.frag")
    number = source.splitlines().index(line) + 1
    report = compared([TOWN], {"glsl/kit.frag": source.replace("* foot * under;", "* foot;")})
    assert report.compared[0].rung == "pixels"
    assert len(report.causes) == 1
    assert report.causes[0].startswith(f"glsl/kit.frag: line {number} is ")
    drawn_by = next(iter(report.compared[0].drawn_by))
    assert "build_district" in drawn_by or "place_structure" in drawn_by


def test_changed_relief_is_named_at_the_lowest_rung(compared: Callable[..., PixelReport]) -> None:
    def change(document: Any) -> None:
        document["relief"]["base_amplitude"] *= 1.5

    report = compared([TOWN], spoilt_json("constants.json", change))
    assert [change.buffer for change in report.geometry["town"]].count("planet") == 1
    lines = list(report.lines())
    assert any(line.startswith("rung 1: town: geometry differs: ") for line in lines)
    assert any(line.startswith("specification: constants.json: relief.base") for line in lines)
