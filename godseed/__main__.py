"""`python -m godseed` is the command `godseed`."""

from __future__ import annotations

from godseed.cli.main import main

main()
