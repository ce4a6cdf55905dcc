"""What can go wrong with a decision, by whose fault it is.

Every message reads `where: what came; what was expected; what to do`.
"""

from __future__ import annotations


class DecideError(Exception):
    """A decision could not be made."""


class InputError(DecideError, ValueError):
    """A row, a request or a file that no model could answer.

    Attributes:
        path: the place in the input, such as `questions.urgent.type`.
        problem: what is wrong there.
    """

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path, self.problem = path, problem


class TooLongError(InputError):
    """The prompt does not fit the context; it is refused, never cut."""


class ContractError(DecideError):
    """This model or template cannot serve the contract: its logits would not mean the options."""


class TransportError(DecideError):
    """The runtime did not answer, or answered something that cannot be read."""
