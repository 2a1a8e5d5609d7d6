"""Pictures say how large they are before they are there."""

import struct

from repcost_book.pages.steady import sized


def _png(path, width: int, height: int):
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height))
    return path


def test_a_picture_and_the_one_for_narrow_screens_have_their_sizes(tmp_path):
    files = {"a.png": _png(tmp_path / "a.png", 1480, 600), "b.png": _png(tmp_path / "b.png", 7, 9)}
    html = '<source media="(max-width: 600px)" srcset="../x/b.png"><img alt="A" src="../a.png" />'
    assert sized(html, files) == (
        '<source width="7" height="9" media="(max-width: 600px)" srcset="../x/b.png">'
        '<img width="1480" height="600" alt="A" src="../a.png" />'
    )


def test_what_has_a_size_or_is_not_known_stays_as_it_is(tmp_path):
    files = {"a.png": _png(tmp_path / "a.png", 10, 20)}
    for html in ('<img width="5" src="a.png">', '<img src="c.png">', '<img src="a.svg">'):
        assert sized(html, files) == html
    assert sized('<img src="a.png">', {"a.png": tmp_path / "gone.png"}) == '<img src="a.png">'
