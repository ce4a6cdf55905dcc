"""Both twins make the same bytes; where they would not, the check says which and why."""

from __future__ import annotations

import base64
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from godseed.check.generate import generated_world
from godseed.check.parity_frames import run_frames, table_differences
from godseed.check.parity_geometry import compare_world, disagreement_of, main, run, shrink
from godseed.check.twin import BRIDGE, Bridge, BridgeError
from godseed.sim import maths
from godseed.sim.arguments import TOOL_NAMES
from godseed.sim.feature import Feature
from godseed.sim.rng import uniform

ROOT = Path(__file__).resolve().parents[2]
WORLDS = 500
FUNCTIONS: dict[str, tuple[Callable[..., maths.F64], tuple[tuple[float, float], ...]]] = {
    "sin": (maths.sin, ((-1e5, 1e5),)),
    "cos": (maths.cos, ((-1e5, 1e5),)),
    "exp": (maths.exp, ((-750.0, 750.0),)),
    "log": (maths.log, ((1e-300, 1e6),)),
    "asin": (maths.asin, ((-1.01, 1.01),)),
    "acos": (maths.acos, ((-1.01, 1.01),)),
    "atan2": (maths.atan2, ((-2.0, 2.0), (-2.0, 2.0))),
    "roundHalfUp": (maths.round_half_up, ((-1e6, 1e6),)),
    "smoothstep": (maths.smoothstep, ((0.0, 0.4), (0.5, 1.0), (-0.5, 1.5))),
}


@pytest.fixture(scope="module")
def bridge() -> Iterator[Bridge]:
    with Bridge() as opened:
        yield opened


@pytest.fixture
def wrong_twin(tmp_path: Path) -> Callable[[str, str, str], Bridge]:
    """The JavaScript twin with one piece of text replaced."""

    def build(file: str, old: str, new: str) -> Bridge:
        folder = tmp_path / "sim"
        shutil.copytree(BRIDGE.parent, folder)
        (tmp_path / "package.json").write_text('{"type": "module"}')
        text = (folder / file).read_text("utf-8")
        assert text.count(old) == 1, f"{old!r} is in {file} {text.count(old)} times"
        (folder / file).write_text(text.replace(old, new), "utf-8")
        return Bridge(script=folder / "bridge.js")

    return build


def test_generated_worlds_are_equal_to_the_byte() -> None:
    report = run(WORLDS)
    assert report.worlds == WORLDS
    assert not report.disagreements, "\n".join(map(str, report.disagreements))


def test_frames_and_tables_are_equal_to_the_byte(bridge: Bridge) -> None:
    assert run_frames(bridge, 8) == []


@pytest.mark.parametrize("tool", TOOL_NAMES)
def test_worlds_of_one_tool_are_equal_to_the_byte(bridge: Bridge, tool: str) -> None:
    assert compare_world(bridge, generated_world(5, 12, (tool,)).features) is None


@pytest.mark.parametrize("name", FUNCTIONS)
def test_elementary_functions_are_equal_to_the_bit(bridge: Bridge, name: str) -> None:
    function, ranges = FUNCTIONS[name]
    n = np.arange(20_000)
    columns = [low + (high - low) * uniform(i, n) for i, (low, high) in enumerate(ranges)]
    sent = [base64.b64encode(column.tobytes()).decode() for column in columns]
    answer = bridge.ask("maths", name=name, columns=sent)
    theirs = np.frombuffer(base64.b64decode(answer), "<f8")
    ours = function(*columns)
    assert np.array_equal(ours.view(np.uint64), theirs.view(np.uint64))


def test_a_road_too_short_for_lamps_is_equal(bridge: Bridge) -> None:
    road = Feature("f_000000", "w_000001", "place_road", {"path": ((10, 10), (10, 12))}, 5)
    assert compare_world(bridge, (road,)) is None


def test_a_wrong_constant_is_named_by_feature_buffer_row_and_column(
    wrong_twin: Callable[[str, str, str], Bridge],
) -> None:
    features = generated_world(3, 10).features
    with wrong_twin("color.js", "0.682171111", "0.682181111") as wrong:
        difference = compare_world(wrong, features)
    assert difference is not None
    assert difference.feature == "f_000002", "the genesis monolith is the first that has a colour"
    assert (difference.buffer, difference.row, difference.column) == ("light", 0, 4)
    assert str(difference).startswith("f_000002: light row 0 column 4: python 0.")


def test_a_disagreement_is_shrunk_to_the_feature_that_causes_it(
    wrong_twin: Callable[[str, str, str], Bridge],
) -> None:
    features = generated_world(11, 20).features
    assert any(feature.tool == "raise_terrain" for feature in features[4:])
    with wrong_twin("terrain.js", "exp(-2.5 * q)", "exp(-2.5000001 * q)") as wrong:
        disagreement = disagreement_of(wrong, "11", features)
    assert len(disagreement.features) <= 2
    assert any("terrain" in feature.tool for feature in disagreement.features)
    assert disagreement.features[0].to_json() in str(disagreement)


def test_a_wrong_light_or_camera_is_named(wrong_twin: Callable[[str, str, str], Bridge]) -> None:
    with wrong_twin("environment.js", "u_star_twinkle: 0.22", "u_star_twinkle: 0.23") as wrong:
        lines = run_frames(wrong, 1)
    assert lines
    assert all("u_star_twinkle: python [0.2199" in line for line in lines)


def test_a_wrong_kit_is_named(wrong_twin: Callable[[str, str, str], Bridge]) -> None:
    with wrong_twin("kits.js", "GROWS_WHOLE = 8", "GROWS_WHOLE = 9") as wrong:
        found = table_differences(wrong)
    assert "tree_round vertices" in found
    assert "house_a vertices" not in found


def test_shrinking_keeps_the_smallest_world_that_still_differs() -> None:
    features = generated_world(2, 15).features
    guilty = features[9]

    def differs(candidate: tuple[Feature, ...]) -> bool:
        return any(feature.seed == guilty.seed for feature in candidate)

    (left,) = shrink(features, differs)  # type: ignore[arg-type]
    assert (left.seed, left.tool, left.id) == (guilty.seed, guilty.tool, "f_000000")


def test_a_missing_node_is_told_with_what_to_do() -> None:
    with pytest.raises(BridgeError, match="install Node 20 or newer"):
        Bridge(node="no-such-node")


def test_a_failing_twin_is_told_in_its_own_words(bridge: Bridge) -> None:
    with pytest.raises(BridgeError, match=r"bridge\.op: dance; expected digest"):
        bridge.ask("dance")


def test_the_command_counts_what_it_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--worlds", "2", "--tool", "place_road"]) == 0
    assert re.match(r"2 worlds, \d+ features: 0 disagree; ", capsys.readouterr().out)


def test_every_twin_that_is_named_exists() -> None:
    lost = {
        f"{path.relative_to(ROOT)}: {name}"
        for folder, pattern in (("godseed", "*.py"), ("web/sim", "*.js"))
        for path in (ROOT / folder).rglob(pattern)
        for name in re.findall(r"Twin\b[^:\n]*: ([\w/.]+\.(?:js|py))", path.read_text("utf-8"))
        if not (ROOT / name).is_file()
    }
    assert not lost
