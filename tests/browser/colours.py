"""Every colour of text on a page with what lies behind it, and links that only colour tells apart.

A page has thousands of words in a dozen colours: what is asked of each pair of colours is asked
once.
"""

from dataclasses import dataclass

from playwright.sync_api import Page

from tests.browser.drawings import contrast


@dataclass(frozen=True)
class Pair:
    """Two colours that must be told apart by so much, and where they were met first."""

    ink: str
    ground: str
    needed: float
    where: str

    def __str__(self) -> str:
        return f"{contrast(self.ink, self.ground):.2f} < {self.needed}: {self.where}"


def faint(page: Page) -> list[str]:
    """Text with less contrast than 5, of which WCAG 1.4.3 asks for 4.5, and links that the colour
    alone tells from the text around them, by less than 1.4.1 asks for.
    """
    pairs = [Pair(*found) for found in page.evaluate(PAIRS)]
    assert pairs, "a page without text"
    return [str(pair) for pair in pairs if contrast(pair.ink, pair.ground) < pair.needed]


# What `mark_pairs` marks.
MARKED = "[data-pair]"


def mark_pairs(page: Page) -> None:
    """Mark one element for each pair of colours, formulas and code apart, and again in whatever may
    lie over other parts of the page.
    """
    assert page.evaluate(MARK), "a page without text"


# The canvas mixes what is half transparent, and reads every notation of colours.
FIND = """
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
    const mixes = new Map(), pairs = new Map(), grounds = new Map(), met = [];
    const mix = layers => {
        const key = layers.join('|');
        if (mixes.has(key)) return mixes.get(key);
        for (const [colour, opacity] of [['white', 1], ...layers]) {
            canvas.globalAlpha = opacity;
            canvas.fillStyle = colour;
            canvas.fillRect(0, 0, 1, 1);
        }
        const mixed = `rgb(${[...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).join(', ')})`;
        mixes.set(key, mixed);
        return mixed;
    };
    // What is painted below the text of an element, from the page upwards, and its own opacity.
    const below = element => {
        if (!element) return {layers: [], opacity: 1};
        if (grounds.has(element)) return grounds.get(element);
        const {layers, opacity} = below(element.parentElement);
        const style = getComputedStyle(element), own = opacity * style.opacity;
        const clear = style.backgroundColor === 'rgba(0, 0, 0, 0)';
        const found = {
            layers: clear ? layers : [...layers, [style.backgroundColor, own]], opacity: own,
        };
        grounds.set(element, found);
        return found;
    };
    const add = (ink, ground, needed, element) => {
        const key = [ink, ground, needed].join();
        const where = () => element.outerHTML.slice(0, 120);
        if (!pairs.has(key)) pairs.set(key, [ink, ground, needed, where()]);
        met.push([key, element]);
    };
    const inkOf = element => {
        const {layers, opacity} = below(element);
        return mix([...layers, [getComputedStyle(element).color, opacity]]);
    };
    const isOff = element => element.closest(':disabled, [aria-disabled=true]');
    const isSeen = element =>
        element.checkVisibility({visibilityProperty: true, opacityProperty: true});
    const isLarge = ({fontSize, fontWeight}) =>
        parseFloat(fontSize) >= (fontWeight >= 700 ? 18.66 : 24);
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const read = new Set();
    while (texts.nextNode()) {
        const element = texts.currentNode.parentElement;
        if (!texts.currentNode.data.trim() || read.has(element)) continue;
        read.add(element);
        if (!isSeen(element) || isOff(element)) continue;
        const needed = isLarge(getComputedStyle(element)) ? 3 : 5;
        add(inkOf(element), mix(below(element).layers), needed, element);
    }
    const isInline = e => getComputedStyle(e).display.startsWith('inline');
    const block = e => isInline(e) ? block(e.parentElement) : e;
    const look = e => {
        const {textDecorationLine, borderBottomStyle, fontWeight, fontStyle} = getComputedStyle(e);
        return [textDecorationLine, borderBottomStyle, fontWeight, fontStyle].join();
    };
    const words = text => text.replace(/\\s/g, '').length;
    for (const link of document.querySelectorAll('a[href]')) {
        if (getComputedStyle(link).display !== 'inline' || !isSeen(link)) continue;
        // In a drawing the shape tells it.
        if (link.closest('svg')) continue;
        const around = block(link.parentElement);
        const links = [...around.querySelectorAll('a[href]')].map(a => words(a.textContent));
        const isAlone = words(around.textContent) === links.reduce((a, b) => a + b, 0);
        if (!isAlone && look(link) === look(around)) add(inkOf(link), inkOf(around), 3, link);
    }
"""
PAIRS = f"() => {{{FIND} return [...pairs.values()]; }}"
MARK = f"""() => {{{FIND}
    const lies = e => e && getComputedStyle(e).position === 'static' ? lies(e.offsetParent) : e;
    const marked = new Map();
    for (const [key, element] of met) {{
        const over = lies(element.offsetParent);
        if (!marked.has(over)) marked.set(over, new Set());
        if (marked.get(over).has(key) || element.closest('mjx-container, .highlight pre')) continue;
        marked.get(over).add(key);
        element.dataset.pair = '';
    }}
    return pairs.size;
}}"""
