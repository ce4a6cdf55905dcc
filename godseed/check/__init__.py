"""Golden checks: cases, comparison by rung, attribution to features, reports."""
