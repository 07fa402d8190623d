"""Every test that samples draws from a stream of its own."""

from lemmata.mechanisms.numerics.streams import TEST_ROOT, generator


def streams(topic):
    """`rng(name)` for the tests of one topic: the generator of the test `name`, at the test root."""
    return lambda name, stream="main": generator(TEST_ROOT, f"tests.{topic}.{name}", {}, stream, 0)
