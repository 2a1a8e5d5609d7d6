import pytest

from repcost_book import Run


def test_sizes_follow_the_profile_and_are_remembered():
    quick, paper = Run("quick"), Run("paper")
    assert (quick.size("nets", quick=2, paper=90), paper.size("nets", quick=2, paper=90)) == (2, 90)
    assert quick.sizes == {"nets": (2, 90)}


def test_generators_depend_on_seed_and_stream_only():
    first = Run("quick", 3).rng().random()
    assert first == Run("paper", 3).rng().random()
    assert first != Run("quick", 4).rng().random()
    assert first != Run("quick", 3).rng(1).random()


@pytest.mark.parametrize(
    "arguments, says",
    [
        (("quik",), "profile must be"),
        (("quick", -1), "seed must be"),
        (("quick", 0.5), "seed"),
        (("quick", 0, "gpu"), "device"),
    ],
)
def test_refuses(arguments, says):
    with pytest.raises(ValueError, match=says):
        Run(*arguments)
