"""What chapters take for read; how long they take is in `test_sizes`."""

import pytest

from repcost_book.runner.chapters import chapters
from repcost_book.runner.project import Project
from repcost_book.runner.readings import Reading, readings
from tests.small_book import CHAPTERS, small_book


@pytest.fixture
def told(tmp_path):
    project = small_book(tmp_path)

    def tell(**changed):
        entries = dict.fromkeys(CHAPTERS, "[]") | changed
        lines = [f"{name}: {entry}\n" for name, entry in entries.items() if entry]
        project.readings.write_text("".join(lines))
        return readings(project)

    return tell


def test_each_chapter_in_the_order_of_the_contents(told):
    found = told(data="[good]")
    assert list(found) == list(CHAPTERS) and found["data"] == Reading(1, ("good",))


@pytest.mark.parametrize(
    "changed, says",
    [
        ({"data": ""}, "data has no entry"),
        ({"dta": "[]"}, "dta is no chapter of the contents"),
        ({"data": "5"}, "data must have a list of chapters"),
        ({"data": "{after: []}"}, "data must have a list of chapters"),
        ({"data": " "}, "data must have a list of chapters"),
        ({"data": "[raising]"}, "raising is no chapter that comes"),
        ({"data": "[data]"}, "data is no chapter that comes before"),
        ({"data": "[plain]"}, "plain is no chapter that comes"),
    ],
)
def test_what_is_amiss_is_named(told, changed, says):
    with pytest.raises(ValueError, match=r"chapters\.yml has to be corrected") as error:
        told(**changed)
    assert says in str(error.value)


def test_the_book_says_it_of_every_chapter():
    project = Project.here()
    found = readings(project)
    assert list(found) == [chapter.name for chapter in chapters(project)]
    lines = project.readings.read_text(encoding="utf-8").splitlines()
    order = [line.partition(":")[0] for line in lines if line and not line.startswith("#")]
    assert order == list(found), "the order of the file is that of the contents"
