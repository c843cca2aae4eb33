"""The package's own tests: `python -m unittest`, from the package's folder."""

import logging

logging.disable(logging.CRITICAL)  # agno tells each refusal at length
