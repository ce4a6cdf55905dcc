"""Prompt files: versioned text with front matter, loaded, filled in, and hashed.

A prompt is `prompts/<name>.md` (shipped) or any path: front matter between `---` lines, then
sections, each under a `## name` line. `Prompt.sha256` is over the bytes of the filled-in system
text and of every other section, so it changes when the wording or the tool table changes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from godseed.sim.arguments import TOOLS, Argument, number_text

DEFAULT_PROMPT = "planner-v1"
SECTIONS = ("system", "reading", "turn", "observation", "last", "retry")
_FIELD = re.compile(r"\{([a-z_]+)\}")
_HEADING = re.compile(r"^## ([a-z]+)[ \t]*$", re.MULTILINE)


class PromptError(ValueError):
    """A prompt file that cannot be used; the message names file, section and the way out."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt file.

    Attributes:
        name: as in its front matter.
        meta: the other front matter, as text.
        sections: text by section name, tool table already filled in.
        sha256: hex digest of what a model can be shown of it.
    """

    name: str
    meta: Mapping[str, str]
    sections: Mapping[str, str]
    sha256: str

    def fill(self, section: str, **fields: str | int) -> str:
        """A section with its `{fields}` replaced; braces of JSON examples stay as they are."""
        return _FIELD.sub(lambda found: str(fields.get(found[1], found[0])), self.sections[section])


def load_prompt(name: str | Path = DEFAULT_PROMPT) -> Prompt:
    """Load a shipped prompt by name, or any prompt file by path.

    Raises:
        PromptError: no such prompt, front matter or a section missing.
    """
    where = str(name)
    if where.endswith(".md"):
        path = Path(where)
        if not path.is_file():
            raise PromptError(f"prompt {where!r}: no such file; give a path or one of {_shipped()}")
        return parse_prompt(path.read_text(encoding="utf-8"), where)
    source = files("godseed.mind").joinpath("prompts", f"{where}.md")
    if not source.is_file():
        raise PromptError(f"prompt {where!r}: not shipped; use one of {_shipped()} or a .md path")
    return parse_prompt(source.read_text(encoding="utf-8"), where)


def parse_prompt(text: str, where: str) -> Prompt:
    """Read the text of a prompt file; `where` names it in errors.

    Raises:
        PromptError: front matter or a section missing.
    """
    text = text.replace("\r\n", "\n")
    parts = text.split("---\n", 2)
    if len(parts) != 3 or parts[0]:
        raise PromptError(f"prompt {where!r}: no front matter; begin with `---` and `name: ...`")
    meta = {
        key.strip(): value.strip()
        for key, colon, value in (line.partition(":") for line in parts[1].splitlines())
        if colon
    }
    pieces = _HEADING.split(parts[2])
    sections = {pieces[i]: pieces[i + 1].strip() for i in range(1, len(pieces) - 1, 2)}
    missing = [section for section in SECTIONS if not sections.get(section)]
    if missing or "name" not in meta:
        lacking = ", ".join(f"`## {section}`" for section in missing) or "`name:`"
        raise PromptError(f"prompt {where!r}: {lacking} missing; add it (see planner-v1)")
    sections["system"] = sections["system"].replace("{tools}", tool_table())
    digest = hashlib.sha256()
    for section in SECTIONS:
        digest.update(f"## {section}\n{sections[section]}\n".encode())
    return Prompt(meta.pop("name"), meta, sections, digest.hexdigest())


def tool_table() -> str:
    """The tools as a model reads them: one line each, from `spec/tools.json`."""
    return "\n".join(
        f"- {tool.name}({', '.join(_argument(arg) for arg in tool.args)}): {tool.doc}"
        for tool in TOOLS.values()
    )


def _argument(arg: Argument) -> str:
    if arg.type == "enum":
        told = "|".join(arg.values)
    elif arg.type == "path":
        told = f"[[lat,lon], {arg.min_items} to {arg.max_items} points]"
    elif arg.type == "text":
        told = f"at most {arg.max_length} characters"
    else:
        told = f"{number_text(arg.min)}..{number_text(arg.max)}"
        told += " whole" if arg.type == "integer" else ""
    return f"{arg.name} {told}" + ("" if arg.required else ", optional")


def _shipped() -> str:
    folder = files("godseed.mind").joinpath("prompts")
    names = [item.name for item in folder.iterdir() if item.name.endswith(".md")]
    return ", ".join(sorted(name.removesuffix(".md") for name in names))
