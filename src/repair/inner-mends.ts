import type { FatalShape } from '../entries/fatal-shapes.ts';
import { arrayElements, findMember, removeElements, setMember } from '../json/text.ts';
import type { Patient } from './patient.ts';
import type { InnerMend } from './region.ts';

const NO_COST = '{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}';

/** How the shapes that omp throws an error on are mended inside of an entry; a header's are with the header's. */
const INNER_MENDS: Readonly<Record<Exclude<FatalShape, 'bad-cwd'>, Omit<InnerMend, 'rule'>>> = {
  'bad-injected-rules': {
    words: 'made injectedRules a list',
    splices: (text, open) => {
      const rules = findMember(text, open, 'injectedRules');
      const value = rules ? text.slice(rules.valueStart, rules.valueEnd) : '';
      return [setMember(text, open, 'injectedRules', value.startsWith('"') ? `[${value}]` : '[]')];
    },
  },
  'null-block': {
    words: 'removed null blocks from the content',
    splices: (text, open) => {
      const content = findMember(text, messageStart(text, open) ?? open, 'content');
      if (!content) return [];
      const nulls = [...arrayElements(text, content.valueStart)].map(({ start, end }) => text.slice(start, end) === 'null');
      return removeElements(text, content.valueStart, (index) => nulls[index] === true);
    },
  },
  'null-content': {
    words: 'made the null content an empty list',
    splices: (text, open) => [setMember(text, messageStart(text, open) ?? open, 'content', '[]')],
  },
  'usage-without-cost': {
    words: 'gave the usage a cost of zero',
    assumed: true,
    splices: (text, open) => {
      const usage = findMember(text, messageStart(text, open) ?? open, 'usage');
      return usage ? [setMember(text, usage.valueStart, 'cost', NO_COST)] : [];
    },
  },
};

/** Entries that omp throws an error on although they have all that ties them to the log. */
export function mendInner(patient: Patient): void {
  for (const [entry, rules] of patient.survey.fatal) {
    for (const rule of rules) {
      if (rule === 'bad-cwd' || patient.isDropped(entry) || !patient.mayMend(entry, rule)) continue;
      patient.mendInside(entry, { rule, ...INNER_MENDS[rule] });
    }
  }
}

function messageStart(text: string, open: number): number | undefined {
  return findMember(text, open, 'message')?.valueStart;
}
