"""Growing arrays: longer ones share storage, and none ever sees another's rows."""

from __future__ import annotations

import numpy as np

from godseed.sim.growing import Growing


def test_appending_leaves_every_shorter_view_as_it_was() -> None:
    short = Growing.of(np.arange(3.0))
    one = short.append(np.array([10.0]))
    other = short.append(np.array([20.0, 21.0]))
    again = one.append(np.array([11.0]))
    assert short.view.tolist() == [0.0, 1.0, 2.0]
    assert one.view.tolist() == [0.0, 1.0, 2.0, 10.0]
    assert other.view.tolist() == [0.0, 1.0, 2.0, 20.0, 21.0]
    assert again.view.tolist() == [0.0, 1.0, 2.0, 10.0, 11.0]


def test_changing_rows_makes_another_array_that_grows_on_its_own() -> None:
    before = Growing.of(np.zeros(0)).append(np.arange(4.0))
    after = before.changed(np.array([1, 2]), np.array([7.0, 8.0]))
    longer, other = after.append(np.array([9.0])), before.append(np.array([5.0]))
    assert before.view.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert after.view.tolist() == [0.0, 7.0, 8.0, 3.0]
    assert longer.view.tolist() == [0.0, 7.0, 8.0, 3.0, 9.0]
    assert other.view.tolist() == [0.0, 1.0, 2.0, 3.0, 5.0]


def test_views_are_read_only() -> None:
    assert not Growing.of(np.zeros(2)).append(np.zeros(1)).view.flags.writeable
