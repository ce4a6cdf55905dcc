"""The village looks as approved, by day, from afar, and while its lighthouse rises."""

from village import village


def test_village_from_the_town_and_from_afar(golden):
    golden.check(village(), shot=["town", "world"], t=4.0)


def test_lighthouse_rises(golden):
    golden.check(village(), shot="gaze:f_000007", t=[1.3, 2.0, 4.0], landed_s={"f_000007": 1.0})
