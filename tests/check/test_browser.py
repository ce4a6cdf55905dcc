"""The browser behind the parity check: its server, its failures, other clients and rasterisers."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner

from godseed.check.browser import (
    MissingBrowserError,
    PageError,
    Site,
    browse,
    chromium_path,
    client_page,
    client_site,
    serve,
)
from godseed.check.parity_pixels import compare_client, same_rasteriser
from godseed.check.parity_views import Subject, View, subjects
from godseed.check.spec_differences import spec_differences
from godseed.cli.main import main
from godseed.render.context import fingerprint_of
from godseed.sim.genesis import genesis_features
from godseed.spec import text


def test_missing_browser_names_the_line_that_fixes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GODSEED_CHROMIUM", "no-such-browser")
    with pytest.raises(MissingBrowserError, match="run 'apt-get install chromium'"):
        chromium_path()


def test_server_gives_files_overrides_and_nothing_outside(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("no")
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text("hello")
    with serve(Site({"/": site}, {"/spec/a.json": b"{}"})) as url:
        assert urllib.request.urlopen(f"{url}/").read() == b"hello"
        assert urllib.request.urlopen(f"{url}/spec/a.json").read() == b"{}"
        for path in ("/missing", "/../secret", "/%2e%2e/secret"):
            with pytest.raises(urllib.error.HTTPError, match="404") as error:
                urllib.request.urlopen(f"{url}{path}")
            error.value.close()


def test_page_that_fails_is_reported_with_its_own_words() -> None:
    page = b"<script>throw new Error('the shader is upset')</script>"
    with (
        serve(Site({}, {"/": page})) as url,
        pytest.raises(PageError, match="the shader is upset; expected a page that answers"),
        browse(url),
    ):
        pass


def test_client_of_another_protocol_is_refused() -> None:
    page = b"<script>window.godseed = {protocol: 2}</script>"
    with serve(Site({}, {"/": page})) as url:
        ran = CliRunner().invoke(main, ["parity", "genesis", "--frames", "1", "--url", url])
    assert "window.godseed.protocol is 2; expected 1" in ran.output


def test_parity_command_gives_one_json_document() -> None:
    ran = CliRunner().invoke(main, ["parity", "genesis", "--frames", "2", "--json", "--quiet"])
    document = json.loads(ran.stdout)
    assert document["agrees"] is True
    assert [frame["shot"] for frame in document["mesa"]["frames"]] == ["town", "world"]
    assert all(frame["rung"] == "same" for frame in document["mesa"]["frames"])


def test_parity_command_refuses_an_unknown_rasteriser() -> None:
    ran = CliRunner().invoke(main, ["parity", "--gl", "metal"])
    assert ran.exit_code == 2
    assert "--gl: 'metal'; expected mesa, swiftshader, default" in ran.output


def test_other_rasteriser_is_judged_by_the_gates() -> None:
    view = View("descend:f_000003@3", 4000, (640, 360), 4)
    with client_page("swiftshader") as page:
        report = compare_client(page, [Subject("genesis", genesis_features(), {}, (view,))])
    assert not report.same_rasteriser
    assert not report.geometry
    assert report.compared[0].rung in ("within", "perception")
    assert report.compared[0].measured.share < 0.02
    assert any(line.startswith("rung 3: worst frame") for line in report.lines())


def test_same_rasteriser_is_recognised_in_the_words_of_a_browser() -> None:
    ours = fingerprint_of("llvmpipe (LLVM 15.0.6, 256 bits)", "4.5 (Core Profile) Mesa 22.3.6", 4)
    name = "ANGLE (Mesa/X.org, llvmpipe (LLVM 15.0.6 256 bits), OpenGL ES 3.2)"
    assert same_rasteriser(ours, fingerprint_of(name, "WebGL 2.0", 4))
    assert not same_rasteriser(ours, fingerprint_of(name.replace("256", "128"), "WebGL 2.0", 4))
    assert not same_rasteriser(ours, fingerprint_of("SwiftShader driver", "WebGL 2.0", 4))


def test_frames_are_counted_exactly_and_chosen_by_the_seed() -> None:
    for frames in (1, 4, 7, 24):
        made = list(subjects(frames, 3))
        assert sum(len(subject.views) for subject in made) == frames
        assert made == list(subjects(frames, 3))
    assert list(subjects(8, 3)) != list(subjects(8, 4))


def test_equal_specifications_have_no_differences() -> None:
    names = ("materials.json", "glsl/kit.frag")
    assert spec_differences({name: text(name) for name in names}) == []


def test_added_material_is_named() -> None:
    document = json.loads(text("materials.json"))
    document["materials"].append({"name": "fog"})
    found = spec_differences({"materials.json": json.dumps(document)})
    assert len(found) == 1
    assert found[0].endswith("ring, weather, fog there")


def test_mock_page_speaks_grants_and_descends_without_a_server() -> None:
    def reads(what: str, value: str) -> str:
        return f"document.getElementById('{what}').textContent === '{value}'"

    descend = "(document.getElementById('descend').click(), true)"
    with serve(client_site()) as url, browse(f"{url}/?mock=1&speed=40", size=(480, 270)) as page:
        # The last card stays for seconds only, so look and click in one step.
        there = f"!document.getElementById('card').hidden && {reads('epoch', 'Epoch 13')}"
        page.wait_for_function(f"() => {there} && {descend}")
        assert page.is_hidden("#card")
        assert page.is_visible("#hint")
        page.keyboard.press("Escape")
        page.wait_for_function("() => document.getElementById('hint').hidden")
        assert page.inner_text("#act").startswith("set weather")
        assert page.inner_text("#thought")
        assert page.inner_text("#view").startswith("behold the world")
        page.click("#view")
        assert page.inner_text("#view").startswith("return to ")


def test_page_without_a_server_shows_the_world_as_it_began() -> None:
    with serve(client_site()) as url, browse(f"{url}/", size=(480, 270)) as page:
        page.wait_for_function("() => document.getElementById('epoch').textContent === 'Epoch 0'")
        assert "The god is elsewhere" in page.inner_text("#notice")
        assert page.get_attribute("#text", "placeholder") == "no wish is heard here"
