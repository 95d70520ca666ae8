/** The part of the page's script that filters the entries, copies links, draws the turns along the time and saves a branch. */
export const OVERVIEW_SCRIPT = `
// Filters: the style hides what does not pass.
// Only a filter makes it worth asking for the style of each, which is slow on a large page.
const isShown = (element) => !element.closest('[hidden]') && (!main.dataset.filter || !element.checkVisibility || element.checkVisibility());
for (const note of all('.note')) {
  const match = /^Label (removed from )?/.exec(note.textContent);
  const link = match && note.querySelector('p > a:not(.number)');
  const target = link && document.getElementById(link.hash.slice(1));
  target?.closest('article')?.classList.toggle('labeled', !match[1]);
}
const filter = make('select', { 'aria-label': 'Show' });
for (const [value, text] of [['', 'All entries'], ['tools', 'No tools'], ['user', 'User'], ['labeled', 'Labeled'], ['errors', 'Errors']])
  filter.append(make('option', { value }, text));
const setFilter = (value) => {
  filter.value = main.dataset.filter = value;
  listTurns();
};
filter.addEventListener('change', () => setFilter(filter.value));
search.before(filter);

// A link to an entry names the branch too, for an entry may be on several.
main.addEventListener('click', (event) => {
  const link = event.target.closest('a.number');
  if (!link) return;
  event.preventDefault();
  history.replaceState(null, '', link.hash + (everything || branches.length < 2 ? '' : '@' + branch));
  navigator.clipboard?.writeText(location.href).then(() => { count.textContent = 'link copied'; }, () => {});
});

// The turns along the time, and what failed.
const strip = make('nav', { id: 'strip', 'aria-label': 'Timeline' });
document.getElementById('top').append(strip);
const most = 200;
const timeOf = (article) => Date.parse((article.firstElementChild.querySelector('span')?.textContent || '').replace(' ', 'T') + 'Z');
const drawStrip = () => {
  const marks = [];
  let name = '';
  for (const article of all('article')) {
    if (!isShown(article)) continue;
    const isTurn = article.classList.contains('turn');
    if (isTurn) name = article.querySelector('.number').textContent + ' ' + article.querySelector('h2').textContent;
    const failed = article.querySelector('.call.failed, .remark.error') !== null;
    const kind = failed ? 'failed' : article.classList.contains('user') ? 'user' : '';
    if (isTurn || failed) marks.push({ article, kind, time: timeOf(article), title: name + (failed ? ', error' : '') });
  }
  const times = marks.map(({ time }) => time);
  const first = times.reduce((a, b) => Math.min(a, b), Infinity);
  const span = times.reduce((a, b) => Math.max(a, b), -Infinity) - first;
  // Where many are in one place the worst is shown.
  const places = new Map();
  marks.forEach((mark, at) => {
    const place = Math.round((span > 0 ? (mark.time - first) / span : at / Math.max(1, marks.length - 1)) * most);
    const before = places.get(place);
    if (!before || (before.kind !== 'failed' && mark.kind !== '')) places.set(place, mark);
  });
  strip.hidden = places.size < 2;
  strip.replaceChildren(...Array.from(places, ([place, { article, kind, title }]) => {
    const link = make('a', { href: '#' + article.id, class: kind, title, 'aria-label': title, tabindex: '-1' });
    link.style.left = (place / most) * 100 + '%';
    return link;
  }));
};

// What is shown as JSON lines. The page has the text of the log only, and says so in the first line.
const textIn = (element, selector) => all(selector, element).map(({ textContent }) => textContent);
const entryOf = (element) => ({
  id: element.id.replace(/^e-/, ''),
  kind: Array.from(element.classList).find((name) => name !== 'turn'),
  facts: textIn(element, '.head p span'),
  text: element.matches('.note')
    ? textIn(element, '.note > p').map((text) => text.replace(/#$/, ''))
    : textIn(element, 'article > :is(.text, pre, .remark), article > .omitted > pre'),
  thinking: textIn(element, '.thinking > .text'),
  calls: all('.call', element).map((call) => ({
    tool: call.querySelector('summary').textContent,
    failed: call.matches('.failed'),
    asked: textIn(call, '.call > pre, .call > .omitted > pre'),
    results: textIn(call, '.result pre'),
  })),
});
const saveBranch = () => {
  const about = 'The text of an exported page, not the log: without markup, images, signatures, exact JSON ' +
    'and what the export left out. sessionctl fork makes a log of a branch.';
  const shown = all('article, .note[id]').filter((element) => !element.closest('[hidden]'));
  const lines = [{ about, branch: everything ? null : branch }, ...shown.map(entryOf)];
  const url = URL.createObjectURL(new Blob(lines.map((line) => JSON.stringify(line) + '\\n')));
  make('a', { href: url, download: everything ? 'session.text.jsonl' : 'branch-' + branch + '.text.jsonl' }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
};
`;
