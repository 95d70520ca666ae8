/** The looks of the list of sessions. Its hash is in the page's policy. */
export const SITE_STYLE = `
:root{color-scheme:light dark;--bg:#fff;--fg:#1f2328;--dim:#636c76;--line:#d9dee4;--soft:#f6f8fa;--link:#0860ca}
@media(prefers-color-scheme:dark){:root{--bg:#0f1319;--fg:#dde3ea;--dim:#98a3af;--line:#2b323b;--soft:#171c23;--link:#79b8ff}}
body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:76rem;margin:0 auto;padding:2rem 1.5rem}
h1{font-size:1.6rem;margin:0 0 1rem}
a{color:var(--link)}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.table{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9375rem}
th,td{border-bottom:1px solid var(--line);padding:.4rem .7rem;text-align:left;vertical-align:top}
th{white-space:nowrap;background:var(--soft)}
td{overflow-wrap:anywhere;min-width:5rem}
td:first-child,td.number{white-space:nowrap}
td:nth-child(2),td:nth-child(4){min-width:12rem}
.number{text-align:right;font-variant-numeric:tabular-nums}
th button{font:inherit;color:inherit;background:none;border:0;padding:0;cursor:pointer}
th[aria-sort=ascending] button::after{content:" \\2191"}
th[aria-sort=descending] button::after{content:" \\2193"}
input{font:inherit;color:inherit;background:var(--bg);border:1px solid var(--dim);border-radius:6px;padding:.3rem .6rem;width:min(24rem,70vw)}
[role=status]{color:var(--dim)}
@media(max-width:40rem){main{padding:1rem}th,td{padding:.4rem .5rem}td:first-child{white-space:normal;min-width:6rem}}
`;

/** Filter and sort. Without it the page is a plain table, newest first. */
export const SITE_SCRIPT = `
(() => {
  const body = document.querySelector('tbody');
  const rows = [...body.rows];
  const filter = document.getElementById('filter');
  const [input, status] = [filter.querySelector('input'), filter.querySelector('[role=status]')];
  filter.hidden = false;
  const apply = () => {
    const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let left = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      if (!row.hidden) left++;
    }
    status.textContent = words.length > 0 ? left + ' of ' + rows.length : '';
  };
  input.addEventListener('input', apply);
  apply();
  const heads = [...document.querySelectorAll('th')];
  heads.forEach((head, at) => {
    const isNumber = head.classList.contains('number');
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = head.textContent;
    head.replaceChildren(button);
    const value = (row) => (isNumber ? Number(row.cells[at].dataset.value) : row.cells[at].textContent.toLowerCase());
    button.addEventListener('click', () => {
      const before = head.getAttribute('aria-sort');
      const isUp = before ? before === 'descending' : !isNumber && at > 0;
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', isUp ? 'ascending' : 'descending');
      const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0) * (isUp ? 1 : -1);
      rows.sort((a, b) => order(value(a), value(b)));
      body.append(...rows);
    });
  });
})();
`;
