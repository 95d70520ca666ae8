import { OVERVIEW_SCRIPT } from './script-overview.ts';

/**
 * What the page can do beyond being read. It only looks at what is on the page and shows or hides it: text of the log
 * is never made into markup. Its hash is in the page's policy, and so it is the only script that runs.
 */
export const SCRIPT = String.raw`
'use strict';
(() => {
const root = document.documentElement;
const main = document.querySelector('main');
const all = (selector, from = main) => Array.from(from.querySelectorAll(selector));
const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};
// A page from a file may have no storage.
const stored = (use) => { try { return use(localStorage); } catch { return null; } };

root.classList.add('js');
const savedTheme = stored((storage) => storage.getItem('sessionctl-theme'));
if (savedTheme === 'dark' || savedTheme === 'light') root.dataset.theme = savedTheme;

// The bar.
const search = make('input', { type: 'search', placeholder: 'Search   /', 'aria-label': 'Search the session', autocomplete: 'off', spellcheck: 'false' });
const count = make('output', { 'aria-live': 'polite' });
const buttons = {};
const button = (action, text, title, attributes) => {
  const element = make('button', { type: 'button', 'data-do': action, title, ...attributes }, text);
  element.addEventListener('click', () => actions[action]());
  return buttons[action] = element;
};
const wide = { 'data-wide': '' };
const bar = make('div', { id: 'bar', role: 'toolbar', 'aria-label': 'Page toolbar' },
  button('side', 'Contents', 'Show the contents (c)'), search, count,
  button('previous', 'Previous', 'Previous match (N)', wide), button('next', 'Next', 'Next match (n)', wide),
  make('span', { class: 'space' }), button('tools', 'Tools', 'Fold or unfold all tool calls (t)'),
  button('thinking', 'Thinking', 'Fold or unfold all thinking (h)'), button('theme', 'Theme', 'Light or dark theme (d)'),
  button('save', 'Save', 'Save the text of this branch as JSON lines', wide),
  button('help', 'Keys', 'Keyboard shortcuts (?)', wide));
const side = make('aside', { id: 'side', 'aria-label': 'Contents' });
document.body.prepend(bar, side);

// Branches: which runs lie on the path to the end of which branch.
const runs = new Map(all('section[data-run]').map((section) => [section.dataset.run, section]));
const firstRun = new Map();
const lastRun = new Map();
for (const [id, { dataset }] of runs) {
  if (!firstRun.has(dataset.branch)) firstRun.set(dataset.branch, id);
  lastRun.set(dataset.branch, id);
}
const branches = Array.from(lastRun.keys());
let branch = branches[0];
let everything = branches.length < 2;

const branchOf = (link) => link.hash.slice('#branch-'.length);
// At a fork the branch that goes on in the same place is offered too.
for (const fork of all('.fork')) {
  const { run } = fork.closest('section').dataset;
  const next = runs.get(String(Number(run) + 1));
  for (const link of all('a', fork)) link.dataset.run = firstRun.get(branchOf(link));
  if (!next || next.dataset.parent !== run) continue;
  const own = next.dataset.branch;
  fork.append(', or ', make('a', { href: '#branch-' + own, 'data-run': next.dataset.run }, 'branch ' + own));
}
main.addEventListener('click', (event) => {
  const link = event.target.closest('.fork a');
  if (!link || everything) return;
  event.preventDefault();
  const fork = link.closest('.fork');
  const top = fork.getBoundingClientRect().top;
  showBranch(branchOf(link));
  history.replaceState(null, '', link.hash);
  scrollBy(0, fork.getBoundingClientRect().top - top);
});
const mark = (element, isCurrent) => element.setAttribute('aria-current', String(isCurrent));
const showBranch = (name) => {
  branch = name;
  const path = new Set();
  for (let id = lastRun.get(name); id !== undefined && !path.has(id); id = runs.get(id).dataset.parent) path.add(id);
  for (const [id, section] of runs) section.hidden = !everything && !path.has(id);
  for (const link of all('.fork a')) mark(link, !everything && path.has(link.dataset.run));
  for (const element of all('.tree button', side)) mark(element, element.dataset.to === (everything ? '' : branch));
  listTurns();
};
const goToBranch = (name) => {
  everything = false;
  showBranch(name);
  history.replaceState(null, '', '#branch-' + name);
  document.getElementById('branch-' + name)?.scrollIntoView();
};
const stepBranch = (distance) => {
  if (branches.length > 1) goToBranch(branches[(branches.indexOf(branch) + distance + branches.length) % branches.length]);
};
const unfold = (element) => {
  for (let fold = element.closest('details'); fold; fold = fold.parentElement.closest('details')) fold.open = true;
};
const reveal = (element) => {
  const section = element.closest('section[data-run]');
  if (section && section.hidden) showBranch(section.dataset.branch);
  unfold(element);
  if (!isShown(element)) setFilter('');
};
${OVERVIEW_SCRIPT}
// The side: the tree of branches, and the turns of what is shown.
const gistOf = (element, most) => element ? element.textContent.slice(0, 300).trim().split('\n')[0].slice(0, most) : '';
const shownTurns = (selector) => all(selector).filter(isShown);
const turnList = make('ul');
let listed = [];
let currentLink;
const listTurns = () => {
  listed = shownTurns('article.turn:not(.assistant, .tool)');
  const items = listed.map((article) => {
    const is = (kind) => article.classList.contains(kind);
    const name = article.querySelector('h2').textContent;
    const gist = gistOf(article.querySelector('.text, pre, .remark'), 90);
    const number = make('i', {}, article.querySelector('.number').textContent);
    const title = gist === '' ? name : is('user') ? gist : name + ': ' + gist;
    return make('li', {}, make('a', { href: '#' + article.id, class: is('summary') ? 'summary' : '' }, number, title));
  });
  turnList.replaceChildren(...items);
  drawStrip();
  currentLink = undefined;
  follow();
};
// Deeper than this the tree would leave the side of the page, so the rest is in one list.
const deepest = 8;
const makeTree = () => {
  const top = make('ul');
  const below = new Map([[undefined, { list: top, depth: 0 }]]);
  // A branch comes after the one that it leaves.
  for (const name of branches) {
    const run = runs.get(firstRun.get(name));
    const { list, depth } = below.get(runs.get(run.dataset.parent)?.dataset.branch);
    const label = document.getElementById('branch-' + name)?.querySelector('.label');
    const facts = ['Branch ' + name, label ? label.textContent : '', gistOf(run.querySelector('article.user .text'), 60)];
    const title = facts.filter((fact) => fact !== '').join(' · ');
    const item = make('li', {}, make('button', { type: 'button', 'data-to': name, title }, title));
    list.append(item);
    const inner = depth < deepest ? make('ul') : list;
    if (inner !== list) item.append(inner);
    below.set(name, { list: inner, depth: depth + 1 });
  }
  return make('div', { class: 'tree' }, top, make('button', { type: 'button', 'data-to': '' }, 'All branches, one after another'));
};
if (branches.length > 1) side.append(make('h3', {}, 'Branches'), makeTree());
side.append(make('h3', {}, 'Turns'), turnList);
side.addEventListener('click', ({ target }) => {
  const { to } = target.dataset;
  if (target.closest('a')) root.classList.remove('side');
  else if (to) goToBranch(to);
  else if (to === '') { everything = true; showBranch(branch); }
});

// Which turn the reader is at.
const lastAbove = (elements, limit) => {
  let low = 0;
  let high = elements.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (elements[middle].getBoundingClientRect().top <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};
const follow = () => {
  const link = turnList.children[lastAbove(listed, 120)]?.firstChild;
  if (link === currentLink) return;
  currentLink?.removeAttribute('aria-current');
  currentLink = link;
  if (!link) return;
  mark(link, true);
  const box = link.getBoundingClientRect();
  const view = side.getBoundingClientRect();
  if (view.height > 0 && (box.top < view.top + 40 || box.bottom > view.bottom - 20)) side.scrollTop += box.top - view.top - view.height / 2;
};
let frame = 0;
addEventListener('scroll', () => {
  frame = frame || requestAnimationFrame(() => { frame = 0; follow(); });
}, { passive: true });
const stepTurn = (distance) => {
  const turns = shownTurns('article.turn');
  const next = turns[Math.max(0, Math.min(turns.length - 1, lastAbove(turns, 90) + distance))];
  if (!next) return;
  history.replaceState(null, '', '#' + next.id);
  next.scrollIntoView();
};

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

// Buttons and keys.
const setFolds = (selector, element) => {
  const folds = all(selector);
  const open = !folds.some((fold) => fold.open);
  for (const fold of folds) fold.open = open;
  element.setAttribute('aria-pressed', String(!open));
};
const actions = {
  side: () => root.classList.toggle('side'),
  previous: () => showHit(hit - 1),
  next: () => showHit(hit + 1),
  tools: () => setFolds('details.call', buttons.tools),
  thinking: () => setFolds('details.thinking', buttons.thinking),
  theme: () => {
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = dark ? 'light' : 'dark';
    stored((storage) => storage.setItem('sessionctl-theme', root.dataset.theme));
  },
  save: () => saveBranch(),
  help: () => help.open ? help.close() : help.showModal(),
  close: () => help.close(),
};
const byKey = {
  '/': (event) => { event.preventDefault(); search.focus(); search.select(); },
  n: actions.next, N: actions.previous, j: () => stepTurn(1), k: () => stepTurn(-1), t: actions.tools, h: actions.thinking,
  '[': () => stepBranch(-1), ']': () => stepBranch(1), c: actions.side, d: actions.theme, '?': actions.help,
  Escape: () => root.classList.remove('side'),
};
addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select')) return;
  byKey[event.key]?.(event);
});
const keys = [['/', 'Search'], ['n, N', 'Next, previous match'], ['j, k', 'Next, previous turn'], ['t', 'Fold or unfold tool calls'],
  ['h', 'Fold or unfold thinking'], ['[, ]', 'Previous, next branch'], ['c', 'Show the contents'], ['d', 'Light or dark theme'], ['?', 'This list'], ['Esc', 'Close']];
const list = make('dl');
for (const [key, does] of keys) {
  const term = make('dt');
  key.split(', ').forEach((one, at) => term.append(at > 0 ? ' ' : '', make('kbd', {}, one)));
  list.append(term, make('dd', {}, does));
}
const help = make('dialog', { 'aria-label': 'Keys' }, make('h2', {}, 'Keys'), list, button('close', 'Close', 'Close'));
document.body.append(help);

// Links into the page reach what is hidden or folded too.
const followHash = () => {
  const [name, to] = location.hash.slice(1).split('@');
  const target = document.getElementById(name);
  if (!target || !main.contains(target)) return;
  if (name.startsWith('branch-') && !everything) showBranch(name.slice(7));
  if (lastRun.has(to) && !everything) showBranch(to);
  reveal(target);
  target.scrollIntoView();
};
showCount(false);
addEventListener('hashchange', followHash);
showBranch(branch);
followHash();
})();
`;
