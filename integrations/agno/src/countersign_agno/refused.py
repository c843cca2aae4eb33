"""What a gate says instead of letting a call run."""

from __future__ import annotations


class Refused(Exception):
    """The call does not run. Its text begins `countersign refused:` and says why, in words that may reach the model."""

    def __init__(self, why: str) -> None:
        super().__init__(f"countersign refused: {why}")
