"""Reports as files: one JSON document that holds everything, or one HTML page that shows it.

Both can be approved from, on another machine too: they carry the pictures that the check drew and
what belongs beside them.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from godseed import __version__
from godseed.check.case_file import GoldenError
from godseed.check.cases import write_file
from godseed.check.evidence import Evidence
from godseed.check.report_html import page
from godseed.check.verdict import Report

KIND: Final = "godseed golden report"
SCHEMA: Final = 1
DATA_ID: Final = "godseed-report"


def document(report: Report, evidence: Mapping[str, Evidence]) -> dict[str, Any]:
    """A report with all that approving it needs, as a JSON-ready object."""
    return {
        "kind": KIND,
        "schema": SCHEMA,
        "version": __version__,
        **report.to_dict(),
        "evidence": {
            name: {
                "case": found.case_digest,
                "size": list(found.size),
                "images": {picture: _text(data) for picture, data in found.images.items()},
                "files": {path: _text(data) for path, data in found.files.items()},
            }
            for name, found in evidence.items()
            if found.images or found.files
        },
    }


def write_report(path: Path, report: Report, evidence: Mapping[str, Evidence]) -> None:
    """Write a report; `.json` gives the document, anything else the page.

    Raises:
        GoldenError: the file cannot be written.
    """
    data = json.dumps(document(report, evidence), ensure_ascii=True, separators=(",", ":"))
    if path.suffix.lower() == ".json":
        write_file(path, data.encode())
        return
    write_file(path, page(report, evidence, data, path.name).encode())


def read_report(path: Path) -> dict[str, Any]:
    """Read a report's document from either kind of file.

    Raises:
        GoldenError: it is no report, or holds nothing that could be approved.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise GoldenError(f"{path}: {reason}; expected a report; check the name") from None
    pattern = rf'<script type="application/json" id="{DATA_ID}">(.*?)</script>'
    embedded = re.search(pattern, text, re.DOTALL)
    try:
        value = json.loads(embedded[1] if embedded else text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict) and "evidence" not in value and "cases" in value:
        raise GoldenError(
            f"{path}: holds verdicts and no pictures; expected a report; make it with "
            "'godseed golden check --report FILE.html'"
        )
    if not isinstance(value, dict) or value.get("kind") != KIND or value.get("schema") != SCHEMA:
        raise GoldenError(
            f"{path}: not a golden report; expected what 'godseed golden check --report' wrote; "
            "check the name"
        )
    return value


def _text(data: bytes) -> str:
    return b64encode(data).decode()
