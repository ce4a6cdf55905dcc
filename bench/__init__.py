"""Benchmarks: ratios within one run, printed as a table; nothing here is asserted."""
