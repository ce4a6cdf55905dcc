"""What rendering reports to its users."""

from __future__ import annotations


class RenderError(Exception):
    """A frame, picture or clip cannot be made from what was asked; the text says what to change."""


class MissingGLError(RenderError):
    """This machine cannot draw; the text holds the line that fixes it."""
