import { counted, grouped } from '../../util/words.ts';
import type { ExportedSession } from '../export.ts';
import type { TimeText } from '../exporter.ts';
import { escapeHtml, oneLine } from '../text.ts';
import { allTokens, costText } from '../view/totals.ts';
import { pageStart, shown } from './page.ts';
import { SITE_SCRIPT, SITE_STYLE } from './site-assets.ts';

/** A session of a site. */
export interface SitePage extends Pick<ExportedSession, 'facts' | 'totals' | 'turns'> {
  /** The file with its page, in the folder of the site. */
  readonly page: string;
  readonly agent: string;
}

interface SiteColumn {
  readonly name: string;
  /** Sorted by number, the largest first. */
  readonly isNumber?: true;
  readonly html: (one: SitePage, time: TimeText) => string;
  /** What it is sorted by, where that is not what is shown. */
  readonly value?: (one: SitePage) => number;
}

const tokensOf = ({ totals }: SitePage): number => allTokens(totals.usage);

const COLUMNS: readonly SiteColumn[] = [
  { name: 'Last entry', html: ({ totals }, time) => shown(time(totals.last) ?? '') },
  {
    name: 'Title',
    html: ({ page, facts }) => {
      const title = oneLine(facts.title || facts.opening || facts.id || 'Session', 120);
      return `<a href="${escapeHtml(encodeURIComponent(page))}"><bdi>${shown(title)}</bdi></a>`;
    },
  },
  { name: 'Agent', html: ({ agent }) => shown(agent) },
  { name: 'Project', html: ({ facts }) => `<bdi>${shown(oneLine(facts.cwd ?? '', 200))}</bdi>` },
  { name: 'Turns', isNumber: true, html: ({ turns }) => grouped(turns), value: ({ turns }) => turns },
  { name: 'Tokens', isNumber: true, html: (one) => grouped(tokensOf(one)), value: tokensOf },
  {
    name: 'Cost',
    isNumber: true,
    html: ({ totals }) => (totals.cost === undefined ? '' : costText(totals.cost)),
    value: ({ totals }) => totals.cost ?? -1,
  },
];

/** The page that lists the sessions of a site: a plain table, which a script lets people filter and sort. */
export function siteIndex(pages: readonly SitePage[], time: TimeText): string {
  const title = counted(pages.length, 'session');
  const heads = COLUMNS.map(({ name, isNumber }, at) => {
    const attributes = `${isNumber ? ' class="number"' : ''}${at === 0 ? ' aria-sort="descending"' : ''}`;
    return `<th scope="col"${attributes}>${name}</th>`;
  });
  const newest = (one: SitePage): string => time(one.totals.last) ?? '';
  const sorted = [...pages].sort((a, b) => (newest(a) < newest(b) ? 1 : -1));
  const rows = sorted.map((one) => `<tr>${COLUMNS.map((column) => cell(column, one, time)).join('')}</tr>`);
  return `${pageStart({ title: 'Sessions', style: SITE_STYLE, script: SITE_SCRIPT, images: "'none'" })}<main>
<h1>${title}</h1>
<p id="filter" hidden><label>Filter <input type="search" autocomplete="off" spellcheck="false"></label> <span role="status"></span></p>
<div class="table" role="region" aria-label="Sessions" tabindex="0"><table>
<thead><tr>${heads.join('')}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table></div>
</main>
<script>${SITE_SCRIPT}</script>
</body>
</html>
`;
}

function cell({ html, isNumber, value }: SiteColumn, one: SitePage, time: TimeText): string {
  const attributes = isNumber ? ` class="number" data-value="${value?.(one) ?? ''}"` : '';
  return `<td${attributes}>${html(one, time)}</td>`;
}
