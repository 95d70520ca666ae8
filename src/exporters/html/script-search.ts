/** The part of the page's script that finds text. */
export const SEARCH_SCRIPT = `
// Search, in pieces, so that a large page stays alive.
let hits = [];
let hit = -1;
let searching = 0;
let needle = '';
const highlights = globalThis.Highlight && CSS.highlights;
const clearHits = () => {
  for (const element of all('.hit')) element.classList.remove('hit');
  highlights?.clear();
};
const showCount = (more) => {
  buttons.previous.hidden = buttons.next.hidden = hits.length < 2;
  const none = needle === '' ? '' : more ? 'searching' : 'no matches';
  count.textContent = hits.length === 0 ? none : (hit + 1) + ' of ' + hits.length + (more ? '+' : '');
};
const rangesIn = (element) => {
  const ranges = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && ranges.length < 500; node = walker.nextNode()) {
    const text = node.data.toLowerCase();
    if (text.length !== node.data.length) continue;
    for (let at = text.indexOf(needle); at >= 0 && ranges.length < 500; at = text.indexOf(needle, at + needle.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + needle.length);
      ranges.push(range);
    }
  }
  return ranges;
};
const showHit = (index) => {
  if (hits.length === 0) return;
  hit = (index + hits.length) % hits.length;
  clearHits();
  const element = hits[hit];
  reveal(element);
  element.classList.add('hit');
  const ranges = rangesIn(element);
  const places = ranges.map((range) => range.startContainer.parentElement);
  places.forEach(unfold);
  if (highlights && ranges.length > 0) {
    highlights.set('found', new Highlight(...ranges));
    highlights.set('current', new Highlight(ranges[0]));
  }
  (places[0] || element).scrollIntoView({ block: 'center' });
  showCount(false);
};
const find = () => {
  const turn = ++searching;
  needle = search.value.toLowerCase();
  hits = [];
  hit = -1;
  clearHits();
  const places = needle === '' ? [] : all('article, .note, .fork');
  let at = 0;
  const piece = () => {
    if (turn !== searching) return;
    const until = performance.now() + 20;
    while (at < places.length && performance.now() < until) {
      const place = places[at++];
      if (place.textContent.toLowerCase().includes(needle)) hits.push(place);
    }
    if (hit < 0) showHit(0);
    showCount(at < places.length);
    if (at < places.length) setTimeout(piece);
  };
  piece();
};
let typing;
search.addEventListener('input', () => { clearTimeout(typing); typing = setTimeout(find, 200); });
search.addEventListener('keydown', (event) => {
  if (event.key === 'Enter') {
    event.preventDefault();
    if (needle !== search.value.toLowerCase()) { clearTimeout(typing); find(); }
    else showHit(hit + (event.shiftKey ? -1 : 1));
  }
  if (event.key === 'Escape') { search.value = ''; find(); search.blur(); }
});
`;
