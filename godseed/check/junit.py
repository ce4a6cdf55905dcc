"""A check as JUnit XML, which CI services show beside other tests."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from godseed.check.cases import write_file
from godseed.check.verdict import NONE, Report

SUITE: Final = "godseed.golden"
UNFIT: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold."""


def junit_xml(report: Report) -> bytes:
    """The document: one test per case; the rung is the type of its failure."""
    seconds = sum(verdict.seconds for verdict in report.cases)
    counts = {
        "tests": str(len(report.cases)),
        "failures": str(len([v for v in report.failed if v.rung != "error"])),
        "errors": str(len([v for v in report.failed if v.rung == "error"])),
        "time": f"{seconds:.3f}",
    }
    top = ElementTree.Element("testsuites", {"name": SUITE, **counts})
    suite = ElementTree.SubElement(top, "testsuite", {"name": SUITE, **counts, "skipped": "0"})
    for verdict in report.cases:
        folder, _, name = verdict.case.rpartition("/")
        row = ElementTree.SubElement(
            suite,
            "testcase",
            {
                "classname": _fit(".".join([SUITE, *folder.split("/")]) if folder else SUITE),
                "name": _fit(name),
                "time": f"{verdict.seconds:.3f}",
            },
        )
        text = _fit("\n".join(verdict.lines))
        if not verdict.passed:
            kind = "error" if verdict.rung == "error" else "failure"
            told = {"type": verdict.rung, "message": _fit(f"{verdict.rung}: {verdict.message}")}
            ElementTree.SubElement(row, kind, told).text = text
        elif verdict.rung != NONE:
            ElementTree.SubElement(row, "system-out").text = text
    if report.unused:
        text = "\n".join(f"unused image: {name}" for name in report.unused)
        ElementTree.SubElement(suite, "system-out").text = _fit(text)
    ElementTree.indent(top)
    body: bytes = ElementTree.tostring(top, "utf-8", xml_declaration=True)
    return body + b"\n"


def write_junit(path: Path, report: Report) -> None:
    """Write the document.

    Raises:
        GoldenError: the file cannot be written.
    """
    write_file(path, junit_xml(report))


def _fit(text: str) -> str:
    return UNFIT.sub("\ufffd", text)
