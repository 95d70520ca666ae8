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
const timeText = (article) => article.firstElementChild.querySelector('span')?.textContent || '';
const timeOf = (article) => Date.parse(timeText(article).replace(' ', 'T') + 'Z');
const hour = 3600000;
const turnsOf = (articles) => {
  const turns = [];
  let turn;
  let last;
  for (const article of articles) {
    const is = (kind) => article.classList.contains(kind);
    if (is('turn')) {
      const time = timeOf(article);
      const number = article.querySelector('.number').textContent;
      // Times that are unknown or go back, as where branches follow each other, leave no gap.
      const since = (before) => Math.max(0, time - before) || 0;
      const [gap, idle] = turn ? [since(turn.time), since(timeOf(last))] : [0, 0];
      turn = { article, number, name: article.querySelector('h2').textContent, isUser: is('user'), time, gap, idle, tokens: 0, errors: 0 };
      turns.push(turn);
    }
    last = article;
    if (!turn) continue;
    turn.tokens += Number(article.dataset.tokens || 0);
    if (!is('failed')) continue;
    turn.failed = turn.failed || article;
    turn.errors += all('.call.failed, .remark.error', article).length || 1;
  }
  return turns;
};
// A bar for each turn; where they do not fit, one for several neighbors, as many questions as answers.
const barsOf = (turns, most) => {
  const gaps = turns.map(({ gap }) => gap).filter((gap) => gap > 0).sort((a, b) => a - b);
  const longest = 4 * (gaps[gaps.length >> 1] || 0);
  const size = turns.length > most ? 2 * Math.ceil(turns.length / most / 2) : 1;
  const bars = [];
  turns.forEach((turn, at) => {
    if (at % size === 0) bars.push({ ...turn, first: turn, gap: 0, idle: 0, tokens: 0, errors: 0 });
    const bar = bars[bars.length - 1];
    bar.last = turn;
    bar.isUser = bar.isUser && turn.isUser;
    bar.failed = bar.failed || turn.failed;
    bar.tokens += turn.tokens;
    bar.errors += turn.errors;
    // A pause must not take the place of the turns.
    bar.gap += Math.min(turn.gap, longest);
    if (turn.gap > longest && turn.idle >= hour) bar.idle = Math.max(bar.idle, turn.idle);
  });
  return bars;
};
const counted = (number, word) => number === 0 ? '' : number.toLocaleString('en-US') + ' ' + word + (number === 1 ? '' : 's');
const drawStrip = (articles) => {
  const most = matchMedia('(max-width:48rem)').matches ? 120 : 200;
  const bars = barsOf(turnsOf(articles), most);
  strip.hidden = scale.hidden = bars.length < 2;
  if (strip.hidden) return;
  const highest = bars.reduce((high, { tokens }) => Math.max(high, tokens), 0);
  const span = bars.reduce((sum, { gap }, at) => sum + (at > 0 ? gap : 0), 0);
  // Part of the width is for the bars, each with as much, and the rest for the time between them.
  const share = span > 0 ? 0.4 + 0.4 * bars.length / most : 1;
  const width = share / (bars.length - 1);
  let place = 0;
  strip.replaceChildren(...bars.flatMap(({ article, failed, first, last, isUser, gap, idle, tokens, errors }, at) => {
    const step = at > 0 ? width + (span > 0 ? (1 - share) * gap / span : 0) : 0;
    place += step;
    const name = first === last ? first.number + ' ' + first.name : 'turns ' + first.number + ' to ' + last.number;
    const pause = idle === 0 ? '' : 'pause of ' + (idle < 48 * hour ? Math.round(idle / hour) + ' h' : Math.round(idle / hour / 24) + ' days');
    const title = [name, counted(errors, 'error'), counted(tokens, 'token'), pause].filter((fact) => fact !== '').join(', ');
    const kind = failed ? 'failed' : isUser ? 'user' : '';
    const link = make('a', { href: '#' + (failed || article).id, class: kind, title, 'aria-label': title, tabindex: '-1' });
    link.style.left = place * 100 + '%';
    link.style.width = 'min(.5rem,' + width * 100 + '%)';
    link.style.height = 20 + 80 * (highest > 0 ? tokens / highest : 0) + '%';
    if (pause === '') return [link];
    const line = make('i', { title: pause });
    line.style.left = (place - step / 2) * 100 + '%';
    return [line, link];
  }));
  const about = (highest > 0 ? 'Height: tokens, up to ' + highest.toLocaleString('en-US') + '. ' : '') +
    (bars[0].first === bars[0].last ? 'Blue: user.' : 'Each bar: several turns.') + ' Red: errors.' +
    (bars.some(({ idle }) => idle > 0) ? ' Dashed: pauses.' : '');
  scale.replaceChildren(...(span > 0 ? [timeText(bars[0].article), about, timeText(bars[bars.length - 1].last.article)] : [about])
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
