"""Make the typefaces of the book: the letters it uses, at the weights and sizes it uses, as woff2.

They are committed (book/_static/look/faces), so that nobody needs this but to change them:

    npm install @fontsource-variable/source-serif-4 @fontsource-variable/source-sans-3 \
        @fontsource/source-code-pro
    pip install "fonttools[woff]"
    python tools/faces.py node_modules

All three are under the SIL Open Font License, whose text is put beside them.
"""

import io
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

TARGET = Path(__file__).parents[1] / "book" / "_static" / "look" / "faces"
ASCII = "".join(map(chr, range(0x20, 0x7F)))
ACCENTS = "ÀÁÂÄÇÈÉÊËÍÎÏÓÔÖÚÜßàáâäçèéêëíîïñóôöøúüōŠšŽž"
SIGNS = "–—‘’“”„…·×−≤≥≈±°½¼¾→←↑↓✓§¶†•′″\u00a0\u202f∫λθεαβσΩℓΦ∞²³"
FEATURES = ["kern", "liga", "onum", "lnum", "tnum", "pnum", "ccmp", "mark", "locl"]


class Face(NamedTuple):
    """A file of ours, the package and file it is made from, and the axes that it keeps."""

    name: str
    package: str
    file: str
    axes: dict


SERIF, SANS = "@fontsource-variable/source-serif-4", "@fontsource-variable/source-sans-3"
CODE = "@fontsource/source-code-pro"
FACES = [
    # Titles are drawn finer than text: that is what the optical axis is for.
    Face(
        "serif", SERIF, "source-serif-4-latin-opsz-normal", {"wght": (400, 700), "opsz": (14, 48)}
    ),
    Face("serif-italic", SERIF, "source-serif-4-latin-opsz-italic", {"wght": 400, "opsz": 14}),
    Face("sans", SANS, "source-sans-3-latin-wght-normal", {"wght": (400, 700)}),
    Face("code", CODE, "source-code-pro-latin-400-normal", {}),
]


def make(face: Face, packages: Path) -> None:
    """One face, and the licence of its package."""
    font = TTFont(packages / face.package / "files" / f"{face.file}.woff2")
    if face.axes:
        font = instancer.instantiateVariableFont(font, face.axes)
    # Read again: the tables of variations are only right once they have been written.
    whole = io.BytesIO()
    font.flavor = None
    font.save(whole)
    font = _used(TTFont(io.BytesIO(whole.getvalue())))
    font.flavor = "woff2"
    target = TARGET / f"{face.name}.woff2"
    font.save(target)
    family = face.package.rpartition("/")[2]
    shutil.copyfile(packages / face.package / "LICENSE", TARGET / f"LICENSE-{family}.txt")
    print(f"{target.name}: {target.stat().st_size / 1000:.1f} kB")


def _used(font: TTFont) -> TTFont:
    options = subset.Options(layout_features=FEATURES, hinting=False)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=ASCII + ACCENTS + SIGNS)
    subsetter.subset(font)
    return font


if __name__ == "__main__":
    TARGET.mkdir(exist_ok=True)
    for wanted in FACES:
        make(wanted, Path(sys.argv[1]))
