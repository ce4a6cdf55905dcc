"""What rendering reports to its users."""

from __future__ import annotations


class RenderError(Exception):
    """A frame, picture or clip cannot be made from what was asked; the text says what to change."""


class MissingError(RenderError):
    """This machine lacks something; the text holds the line that fixes it."""


class MissingGLError(MissingError):
    """There is no OpenGL, or it is too old."""


class MissingFfmpegError(MissingError):
    """There is no ffmpeg."""
