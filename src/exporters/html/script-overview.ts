import { FILTER_LIST } from './filters.ts';

/**
 * The part of the page's script that filters the entries, copies links, draws the turns along the time and saves a
 * branch.
 */
export const OVERVIEW_SCRIPT = String.raw`
// Filters: the style hides what does not pass.
for (const note of all('.note')) {
  const match = /^Label (removed from )?/.exec(note.textContent);
  const link = match && note.querySelector('p > a');
  const target = link && document.getElementById(link.hash.slice(1));
  target?.closest('article')?.classList.toggle('labeled', !match[1]);
}
// The heading of a turn is wanted where more than tools follows in it.
let heading;
for (const article of all('article')) {
  if (article.matches('.turn')) heading = article;
  else if (!article.matches('.tools')) heading?.classList.remove('tools');
}
const filters = ${FILTER_LIST};
const filter = make('select', { 'aria-label': 'Show' }, make('option', { value: '' }, 'All entries'));
for (const { name, title } of filters) filter.append(make('option', { value: name }, title));
let hides;
const isFiltered = (element) => hides !== undefined && element.closest(hides) !== null;
const setFilter = (value) => {
  filter.value = value;
  if (value === '') delete root.dataset.filter;
  else root.dataset.filter = value;
  hides = filters.find(({ name }) => name === value)?.hides;
  // A browser lays out only the chunks that are in view, and has to know how high the others are.
  const isNarrow = hides !== undefined && value !== 'tools';
  for (const [chunk, list] of chunks) {
    const shown = isNarrow ? all('article:not(' + hides + '), .fork, .branch', chunk).length : 1;
    chunk.hidden = list.hidden = shown === 0;
    chunk.style.containIntrinsicHeight = isNarrow ? shown * 120 + 'px' : '';
    list.style.containIntrinsicHeight = isNarrow ? shown * 1.6 + 'rem' : '';
  }
  updateShown();
  count.textContent = hides === undefined ? '' : shownArticles.length + ' shown';
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

// The turns along the time, with their tokens, and what failed.
const strip = make('nav', { id: 'strip', 'aria-label': 'Timeline' });
const scale = make('p', { id: 'scale' });
document.getElementById('top').append(strip, scale);
const most = 200;
const timeText = (article) => article.firstElementChild.querySelector('span')?.textContent || '';
// A turn, and within it each failure, with what was used up to the next.
const marksOf = (articles) => {
  const marks = [];
  let name = '';
  for (const article of articles) {
    const is = (kind) => article.classList.contains(kind);
    if (is('turn')) name = article.querySelector('.number').textContent + ' ' + article.querySelector('h2').textContent;
    const kind = is('failed') ? 'failed' : is('user') ? 'user' : '';
    if (is('turn') || is('failed')) marks.push({ article, name, kind, time: Date.parse(timeText(article).replace(' ', 'T') + 'Z'), tokens: 0 });
    if (marks.length > 0) marks[marks.length - 1].tokens += Number(article.dataset.tokens || 0);
  }
  return marks;
};
const drawStrip = (articles) => {
  const marks = marksOf(articles);
  const times = marks.map(({ time }) => time);
  const first = times.reduce((a, b) => Math.min(a, b), Infinity);
  const span = times.reduce((a, b) => Math.max(a, b), -Infinity) - first;
  // Where many are in one place their tokens are added up, and the worst is named.
  const places = new Map();
  marks.forEach((mark, at) => {
    const place = Math.round((span > 0 ? (mark.time - first) / span : at / Math.max(1, marks.length - 1)) * most);
    const before = places.get(place);
    const worst = before && (before.kind === 'failed' || mark.kind === '') ? before : mark;
    places.set(place, { ...worst, tokens: mark.tokens + (before ? before.tokens : 0) });
  });
  const highest = Array.from(places.values()).reduce((high, { tokens }) => Math.max(high, tokens), 0);
  strip.hidden = scale.hidden = places.size < 2;
  strip.replaceChildren(...Array.from(places, ([place, { article, name, kind, tokens }]) => {
    const facts = [name, tokens > 0 ? tokens.toLocaleString('en-US') + ' tokens' : '', kind === 'failed' ? 'error' : ''];
    const title = facts.filter((fact) => fact !== '').join(', ');
    const link = make('a', { href: '#' + article.id, class: kind, title, 'aria-label': title, tabindex: '-1' });
    link.style.left = (place / most) * 100 + '%';
    link.style.height = 20 + 80 * (highest > 0 ? tokens / highest : 0) + '%';
    return link;
  }));
  const about = (highest > 0 ? 'Height: tokens, up to ' + highest.toLocaleString('en-US') + '. ' : '') + 'Blue: user. Red: errors.';
  scale.replaceChildren(...(span > 0 ? [timeText(marks[0].article), about, timeText(marks[marks.length - 1].article)] : [about])
    .map((text) => make('span', {}, text)));
};

// The entries as they are in the log. In an image's place they may name it, for it is in the page already.
const saveBranch = () => {
  const imageData = (number) => document.getElementById('image-' + number).getAttribute('src').split(',')[1];
  const lines = all('section:not([hidden]) template').flatMap(({ content }) => content.textContent.split('\n').slice(0, -1));
  // All branches: where an agent goes on is at the end of the file.
  if (everything && branches.length > 1) lines.sort((a, b) => parseInt(a) - parseInt(b));
  const entries = lines.map((line) =>
    line.slice(line.indexOf(' ') + 1).replace(/"\t(\d+)"/g, (_, number) => '"' + imageData(number) + '"') + '\n');
  const url = URL.createObjectURL(new Blob([log.content.textContent, ...entries]));
  make('a', { href: url, download: everything ? 'session.jsonl' : 'branch-' + branch + '.jsonl' }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
};
`;
