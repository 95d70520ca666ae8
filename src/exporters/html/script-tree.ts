/**
 * The part of the page's script that shows one branch at a time, and draws the tree of the branches and their entries.
 */
export const TREE_SCRIPT = String.raw`
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
  for (const [id, section] of runs) {
    section.hidden = !everything && !path.has(id);
    rowLists.get(id).classList.toggle('off', section.hidden);
  }
  for (const link of all('.fork a')) mark(link, !everything && path.has(link.dataset.run));
  for (const element of all('button', side)) mark(element, element.dataset.to === (everything ? '' : branch));
  branchArticles = all('section:not([hidden]) article');
  drawStrip(branchArticles);
  updateShown();
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
  if (isFiltered(element)) setFilter('');
};

// The tree in the side. A row has the classes of its entry, so that the style filters both alike.
const gistOf = (element, most) => {
  if (!element) return '';
  const blocks = element.matches('.text, .remark') ? Array.from(element.children).slice(0, 2) : [element];
  return blocks.map(({ textContent }) => textContent.slice(0, 300).trim().split('\n')[0]).join(' ').slice(0, most);
};
const rows = new Map();
const makeRow = (article) => {
  const is = (kind) => article.classList.contains(kind);
  const gist = gistOf(article.querySelector(':scope > :is(.text, pre, .remark), .call > summary'), 90);
  const name = is('user') || is('assistant') ? '' : article.querySelector('h2')?.textContent ?? '';
  const link = make('a', { href: '#' + article.id }, [name, gist].filter((text) => text !== '').join(': ') || 'Assistant');
  if (is('turn')) link.prepend(make('i', {}, article.querySelector('.number').textContent));
  rows.set(article, link);
  return make('li', { class: 'entry ' + article.className }, link);
};
/** The rows of a chunk, and of a run. */
const chunks = new Map();
const rowLists = new Map();
// Deeper than this the tree would leave the side of the page.
const deepest = 8;
const makeTree = () => {
  const items = new Map();
  const forks = new Map();
  const top = { list: make('ul', { class: 'tree' }), depth: 0 };
  for (const [id, section] of runs) {
    const { branch: name, parent } = section.dataset;
    const list = make('div');
    for (const chunk of all('.chunk', section)) {
      chunks.set(chunk, make('ul', { class: 'rows' }, ...all('article', chunk).map(makeRow)));
      list.append(chunks.get(chunk));
    }
    rowLists.set(id, list);
    if (items.has(name)) items.get(name).item.append(list);
    else {
      // A branch comes after the one that it leaves.
      if (parent !== undefined && !forks.has(parent)) {
        const depth = items.get(runs.get(parent).dataset.branch).depth + 1;
        forks.set(parent, { list: make('ul', { class: depth > deepest ? '' : 'deeper' }), depth });
        rowLists.get(parent).after(forks.get(parent).list);
      }
      const place = parent === undefined ? top : forks.get(parent);
      const item = make('li', {}, ...branches.length > 1 ? [branchButton(name, section)] : [], list);
      items.set(name, { item, depth: place.depth });
      place.list.append(item);
    }
  }
  return top.list;
};
const branchButton = (name, section) => {
  const label = document.getElementById('branch-' + name)?.querySelector('.label');
  const facts = ['Branch ' + name, label ? label.textContent : '', gistOf(section.querySelector('article.user .text'), 60)];
  const title = facts.filter((fact) => fact !== '').join(' · ');
  return make('button', { type: 'button', 'data-to': name, title }, title);
};
side.addEventListener('click', ({ target }) => {
  const { to } = target.dataset;
  if (target.closest('a')) root.classList.remove('side');
  else if (to) goToBranch(to);
  else if (to === '') { everything = true; showBranch(branch); }
});

// Which entry the reader is at.
let branchArticles = [];
let shownArticles = [];
let currentLink;
const updateShown = () => {
  shownArticles = branchArticles.filter((article) => !isFiltered(article));
  followSoon();
};
// To ask for the place of an entry lays out its chunk: only where that does not say enough.
const isAbove = (element, limit) => {
  const { top, bottom } = element.closest('.chunk').getBoundingClientRect();
  return bottom <= limit || (top <= limit && element.getBoundingClientRect().top <= limit);
};
const lastAbove = (elements, limit) => {
  let low = 0;
  let high = elements.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isAbove(elements[middle], limit)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};
const follow = () => {
  const link = rows.get(shownArticles[lastAbove(shownArticles, 120)]);
  if (link === currentLink) return;
  currentLink?.removeAttribute('aria-current');
  currentLink = link;
  if (!link) return;
  mark(link, true);
  const box = link.getBoundingClientRect();
  const view = side.getBoundingClientRect();
  if (view.height > 0 && (box.top < view.top + 40 || box.bottom > view.bottom - 20)) side.scrollTop += box.top - view.top - view.height / 2;
};
// With the next frame: asking for places earlier would lay out a large page twice.
let frame = 0;
const followSoon = () => { frame = frame || requestAnimationFrame(() => { frame = 0; follow(); }); };
addEventListener('scroll', followSoon, { passive: true });
const stepTurn = (distance) => {
  const turns = shownArticles.filter((article) => article.classList.contains('turn'));
  const next = turns[Math.max(0, Math.min(turns.length - 1, lastAbove(turns, 90) + distance))];
  if (!next) return;
  history.replaceState(null, '', '#' + next.id);
  next.scrollIntoView();
};
`;
