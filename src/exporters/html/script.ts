import { OVERVIEW_SCRIPT } from './script-overview.ts';
import { SEARCH_SCRIPT } from './script-search.ts';
import { TREE_SCRIPT } from './script-tree.ts';

/**
 * What the page can do beyond being read. It only looks at what is on the page and shows or hides it: text of the log
 * is never made into markup. Its hash is in the page's policy, and so it is the only script that runs.
 */
export const SCRIPT = `
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
const log = document.getElementById('log');
const bar = make('div', { id: 'bar', role: 'toolbar', 'aria-label': 'Page toolbar' },
  button('side', 'Contents', 'Show the contents (c)'), search, count,
  button('previous', 'Previous', 'Previous match (N)', wide), button('next', 'Next', 'Next match (n)', wide),
  make('span', { class: 'space' }), button('tools', 'Tools', 'Fold or unfold all tool calls (t)'),
  button('thinking', 'Thinking', 'Fold or unfold all thinking (h)'), button('theme', 'Theme', 'Light or dark theme (d)'),
  ...log ? [button('save', 'Save', log.dataset.title)] : [],
  button('help', 'Keys', 'Keyboard shortcuts (?)', wide));
const side = make('aside', { id: 'side', 'aria-label': 'Contents' });
document.body.prepend(bar, side);

${TREE_SCRIPT}${OVERVIEW_SCRIPT}${SEARCH_SCRIPT}
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
side.append(make('h3', {}, 'Entries'));
if (branches.length > 1) side.append(make('button', { type: 'button', 'data-to': '' }, 'All branches, one after another'));
side.append(makeTree());
showCount(false);
addEventListener('hashchange', followHash);
showBranch(branch);
followHash();
})();
`;
