"""What batch work reports to its users."""

from __future__ import annotations


class BatchError(Exception):
    """Work cannot be done as asked; the text says where, what came, and what to do."""


class MissingError(BatchError):
    """This machine, or the cluster, lacks something; the text holds the line that fixes it."""
