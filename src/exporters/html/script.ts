/**
 * What the page can do beyond being read. It only looks at what is on the page and shows or hides it: text of the log is
 * never made into markup. Its hash is in the page's policy, and so it is the only script that runs.
 */
export const SCRIPT = String.raw`
'use strict';
(() => {
const root = document.documentElement;
const main = document.querySelector('main');
const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));
const make = (tag, attributes, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  element.append(...children);
  return element;
};
const remember = (key, value) => { try { localStorage.setItem(key, value); } catch { /* A page from a file may have no storage. */ } };
const recall = (key) => { try { return localStorage.getItem(key); } catch { return null; } };

root.classList.add('js');
const savedTheme = recall('sessionctl-theme');
if (savedTheme === 'dark' || savedTheme === 'light') root.dataset.theme = savedTheme;

// The bar.
const search = make('input', { type: 'search', placeholder: 'Search   /', 'aria-label': 'Search the session', autocomplete: 'off', spellcheck: 'false' });
const count = make('output', { 'aria-live': 'polite' });
const button = (text, action, title, wide) => {
  const element = make('button', { type: 'button', 'data-do': action, title }, text);
  if (wide) element.setAttribute('data-wide', '');
  return element;
};
const toolsButton = button('Tools', 'tools', 'Fold or unfold all tool calls (t)');
const thinkingButton = button('Thinking', 'thinking', 'Fold or unfold all thinking (h)');
const previousButton = button('Previous', 'previous', 'Previous match (N)', true);
const nextButton = button('Next', 'next', 'Next match (n)', true);
const bar = make('div', { id: 'bar', role: 'toolbar', 'aria-label': 'Page toolbar' },
  button('Contents', 'side', 'Show the contents (c)'), search, count,
  previousButton, nextButton,
  make('span', { class: 'space' }), toolsButton, thinkingButton, button('Theme', 'theme', 'Light or dark theme (d)'), button('Keys', 'help', 'Keyboard shortcuts (?)', true));
const side = make('aside', { id: 'side', 'aria-label': 'Contents' });
document.body.prepend(bar, side);

// Branches: which runs lie on the path to the end of which branch.
const runs = new Map();
for (const element of all('section[data-run]', main)) {
  runs.set(element.dataset.run, { element, parent: element.dataset.parent, branch: element.dataset.branch });
}
const lastRun = new Map();
for (const [id, run] of runs) lastRun.set(run.branch, id);
const firstRun = new Map();
for (const [id, run] of runs) if (!firstRun.has(run.branch)) firstRun.set(run.branch, id);
const branches = Array.from(lastRun.keys());
let branch = branches[0];
let everything = branches.length < 2;

const pathOf = (name) => {
  const path = new Set();
  for (let id = lastRun.get(name); id !== undefined && !path.has(id); id = runs.get(id).parent) path.add(id);
  return path;
};
// At a fork the branch that goes on in the same place is offered too.
for (const fork of all('.fork', main)) {
  const run = fork.closest('section').dataset.run;
  const next = String(Number(run) + 1);
  for (const link of all('a', fork)) link.dataset.run = firstRun.get(link.hash.slice('#branch-'.length));
  if (!runs.has(next) || runs.get(next).parent !== run) continue;
  const own = runs.get(next).branch;
  fork.append(', or ', make('a', { href: '#branch-' + own, 'data-run': next }, 'branch ' + own));
}
main.addEventListener('click', (event) => {
  const link = event.target.closest('.fork a');
  if (!link || everything) return;
  event.preventDefault();
  const fork = link.closest('.fork');
  const top = fork.getBoundingClientRect().top;
  showBranch(link.hash.slice('#branch-'.length));
  scrollBy(0, fork.getBoundingClientRect().top - top);
});
const showBranch = (name) => {
  if (name !== undefined) branch = name;
  const path = everything ? undefined : pathOf(branch);
  for (const [id, run] of runs) run.element.hidden = path !== undefined && !path.has(id);
  for (const link of all('.fork a', main)) link.setAttribute('aria-current', String(!everything && path.has(link.dataset.run)));
  for (const element of all('.tree button', side)) {
    element.setAttribute('aria-current', String(everything ? element.dataset.all !== undefined : element.dataset.to === branch));
  }
  listTurns();
};
const stepBranch = (distance) => {
  if (branches.length < 2) return;
  everything = false;
  showBranch(branches[(branches.indexOf(branch) + distance + branches.length) % branches.length]);
  const start = document.getElementById('branch-' + branch);
  if (start) start.scrollIntoView();
};
const reveal = (element) => {
  const section = element.closest('section[data-run]');
  if (section && section.hidden) showBranch(section.dataset.branch);
  for (let at = element; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
};

// The side: the tree of branches, and the turns of what is shown.
const turnList = make('ul', {});
const gistOf = (article) => {
  const text = article.querySelector('.text, pre, .remark');
  return text ? text.textContent.slice(0, 300).trim().split('\n')[0].slice(0, 90) : '';
};
const listTurns = () => {
  const items = [];
  for (const run of runs.values()) {
    if (run.element.hidden) continue;
    for (const article of all('article.turn', run.element)) {
      if (article.classList.contains('assistant') || article.classList.contains('tool')) continue;
      const link = make('a', { href: '#' + article.id, class: article.classList.contains('summary') ? 'summary' : '' },
        make('i', {}, article.querySelector('.number').textContent));
      const name = article.querySelector('h2').textContent;
      const gist = gistOf(article);
      link.append(article.classList.contains('user') && gist ? gist : gist ? name + ': ' + gist : name);
      items.push(make('li', {}, link));
    }
  }
  turnList.replaceChildren(...items);
  currentLink = undefined;
  follow();
};
let currentLink;
const buildTree = () => {
  const children = new Map();
  for (const name of branches) {
    const parent = runs.get(firstRun.get(name)).parent;
    const above = parent === undefined ? '' : runs.get(parent).branch;
    if (!children.has(above)) children.set(above, []);
    children.get(above).push(name);
  }
  const top = make('ul', {});
  // Deeper than this the tree would leave the side of the page, so the rest stands in one list.
  const deepest = 8;
  const open = (children.get('') || []).map((name) => ({ name, list: top, depth: 0 })).reverse();
  while (open.length > 0) {
    const { name, list, depth } = open.pop();
    const title = document.getElementById('branch-' + name);
    const label = title && title.querySelector('.label');
    const said = runs.get(firstRun.get(name)).element.querySelector('article.user .text');
    const gist = said ? said.textContent.slice(0, 200).trim().split('\n')[0].slice(0, 60) : '';
    const text = 'Branch ' + name + (label ? ' · ' + label.textContent : '') + (gist ? ' · ' + gist : '');
    const item = make('li', {}, make('button', { type: 'button', 'data-to': name, title: text }, text));
    list.append(item);
    const below = children.get(name);
    if (!below) continue;
    const inner = depth < deepest ? make('ul', {}) : list;
    if (depth < deepest) item.append(inner);
    for (const one of below.slice().reverse()) open.push({ name: one, list: inner, depth: depth + 1 });
  }
  const tree = make('div', { class: 'tree' }, top);
  tree.append(make('button', { type: 'button', 'data-all': '' }, 'All branches, one after another'));
  return tree;
};
if (branches.length > 1) side.append(make('h3', {}, 'Branches'), buildTree());
side.append(make('h3', {}, 'Turns'), turnList);
side.addEventListener('click', (event) => {
  const target = event.target.closest('button, a');
  if (!target) return;
  if (target.tagName === 'A') { root.classList.remove('side'); return; }
  if (target.dataset.all !== undefined) { everything = true; showBranch(); return; }
  everything = false;
  showBranch(target.dataset.to);
  const start = document.getElementById('branch-' + branch);
  if (start) start.scrollIntoView();
});

// Which turn the reader is at.
const turns = () => all('article.turn', main).filter((article) => !article.closest('[hidden]'));
const indexAt = (list) => {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle].getBoundingClientRect().top <= 90) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};
const follow = () => {
  const links = turnList.children;
  let low = 0;
  let high = links.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const article = document.getElementById(links[middle].firstChild.getAttribute('href').slice(1));
    if (article && article.getBoundingClientRect().top <= 120) low = middle + 1;
    else high = middle;
  }
  const link = low > 0 ? links[low - 1].firstChild : undefined;
  if (link === currentLink) return;
  if (currentLink) currentLink.removeAttribute('aria-current');
  currentLink = link;
  if (!link) return;
  link.setAttribute('aria-current', 'true');
  const box = link.getBoundingClientRect();
  const view = side.getBoundingClientRect();
  if (view.height > 0 && (box.top < view.top + 40 || box.bottom > view.bottom - 20)) side.scrollTop += box.top - view.top - view.height / 2;
};
let following = false;
addEventListener('scroll', () => {
  if (following) return;
  following = true;
  requestAnimationFrame(() => { following = false; follow(); });
}, { passive: true });
const stepTurn = (distance) => {
  const list = turns();
  const next = list[Math.max(0, Math.min(list.length - 1, indexAt(list) + distance))];
  if (!next) return;
  history.replaceState(null, '', '#' + next.id);
  next.scrollIntoView();
};

// Folding.
const setFolds = (selector, element) => {
  const folds = all(selector, main);
  const open = !folds.some((fold) => fold.open);
  for (const fold of folds) fold.open = open;
  element.setAttribute('aria-pressed', String(!open));
};

// Search, in pieces, so that a large page stays alive.
let hits = [];
let hit = -1;
let searching = 0;
let needle = '';
const highlights = typeof CSS !== 'undefined' && CSS.highlights && typeof Highlight === 'function' ? CSS.highlights : undefined;
const clearHits = () => {
  for (const element of all('.hit', main)) element.classList.remove('hit');
  if (highlights) { highlights.delete('found'); highlights.delete('current'); }
};
const tellHits = (more) => {
  previousButton.hidden = nextButton.hidden = hits.length < 2;
  count.textContent = needle === '' ? '' : hits.length === 0 ? (more ? 'searching' : 'no matches') : (hit + 1) + ' of ' + hits.length + (more ? '+' : '');
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
  const ranges = rangesIn(element);
  for (const range of ranges) {
    for (let at = range.startContainer.parentElement; at && at !== element; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
  }
  element.classList.add('hit');
  if (highlights && ranges.length > 0) {
    highlights.set('found', new Highlight(...ranges));
    highlights.set('current', new Highlight(ranges[0]));
  }
  const place = ranges.length > 0 ? ranges[0].startContainer.parentElement : element;
  place.scrollIntoView({ block: 'center' });
  tellHits(false);
};
const find = () => {
  const turn = ++searching;
  needle = search.value.toLowerCase();
  hits = [];
  hit = -1;
  clearHits();
  if (needle === '') { tellHits(false); return; }
  const places = all('article, .note, .fork', main);
  let at = 0;
  const piece = () => {
    if (turn !== searching) return;
    const until = performance.now() + 20;
    while (at < places.length && performance.now() < until) {
      const place = places[at++];
      if (place.textContent.toLowerCase().includes(needle)) hits.push(place);
    }
    if (hit < 0 && hits.length > 0) showHit(0);
    tellHits(at < places.length);
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

// Light and dark.
const changeTheme = () => {
  const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
  remember('sessionctl-theme', root.dataset.theme);
};

// Keys.
const keys = [['/', 'Search'], ['n, N', 'Next, previous match'], ['j, k', 'Next, previous turn'], ['t', 'Fold or unfold tool calls'],
  ['h', 'Fold or unfold thinking'], ['[, ]', 'Previous, next branch'], ['c', 'Show the contents'], ['d', 'Light or dark theme'], ['?', 'This list'], ['Esc', 'Close']];
const list = make('dl', {});
for (const [key, does] of keys) {
  const term = make('dt', {});
  key.split(', ').forEach((one, at) => term.append(at > 0 ? ' ' : '', make('kbd', {}, one)));
  list.append(term, make('dd', {}, does));
}
const help = make('dialog', { 'aria-label': 'Keys' }, make('h2', {}, 'Keys'), list, button('Close', 'close', 'Close'));
document.body.append(help);
const actions = {
  side: () => root.classList.toggle('side'),
  previous: () => showHit(hit - 1),
  next: () => showHit(hit + 1),
  tools: () => setFolds('details.call', toolsButton),
  thinking: () => setFolds('details.thinking', thinkingButton),
  theme: changeTheme,
  help: () => help.open ? help.close() : help.showModal(),
  close: () => help.close(),
};
const onButton = (event) => {
  const target = event.target.closest('button[data-do]');
  if (target) actions[target.dataset.do]();
};
bar.addEventListener('click', onButton);
help.addEventListener('click', onButton);
const byKey = { n: 'next', N: 'previous', t: 'tools', h: 'thinking', d: 'theme', '?': 'help', c: 'side' };
addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select')) return;
  if (event.key === '/') { event.preventDefault(); search.focus(); search.select(); }
  else if (event.key === 'j') stepTurn(1);
  else if (event.key === 'k') stepTurn(-1);
  else if (event.key === ']') stepBranch(1);
  else if (event.key === '[') stepBranch(-1);
  else if (event.key === 'Escape') root.classList.remove('side');
  else if (byKey[event.key]) actions[byKey[event.key]]();
});

// Links into the page reach what is hidden or folded too.
const followHash = () => {
  let name = location.hash.slice(1);
  try { name = decodeURIComponent(name); } catch { /* Not an address of ours. */ }
  const target = name ? document.getElementById(name) : null;
  if (!target || !main.contains(target)) return;
  if (name.startsWith('branch-') && !everything) showBranch(name.slice(7));
  reveal(target);
  target.scrollIntoView();
};
tellHits(false);
addEventListener('hashchange', followHash);
showBranch();
followHash();
})();
`;
