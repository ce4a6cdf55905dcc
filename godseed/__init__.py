"""GODSEED: a tiny model-god terraforms one persistent planet, equal to the last bit everywhere."""

__version__ = "0.1.0"
