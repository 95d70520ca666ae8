import { foreignFormats } from '../formats/index.ts';
import { explainRule, type RuleInFormat } from '../reporters/text.ts';
import { rules } from '../rules/index.ts';
import { fixedWhereFound, fixesRecords, isNative, type Rule, type RuleMeta } from '../rules/rule.ts';
import type { Style } from '../util/io.ts';

/** The rules that apply to a format, with its levels; all of them where none is named. */
export async function rulesFor(from: string | undefined): Promise<readonly RuleMeta[]> {
  const checks = await foreignFormats.find(({ id }) => id === from)?.checks?.();
  if (checks) {
    const { recordRules } = await import('../rules/check/check-records.ts');
    return recordRules(checks).map((rule) => ({ ...rule, level: rule.severity }));
  }
  return from === undefined ? rules : rules.filter(isNative);
}

/** A rule in all formats, or as it is in one of them. */
export async function explanation(rule: Rule, from: string | undefined, style: Style): Promise<string> {
  const formats: RuleInFormat[] = [];
  for (const { id, noun, checks } of foreignFormats) {
    const own = from === undefined || from === id ? await checks?.() : undefined;
    const level = own?.levels[rule.id];
    if (level) formats.push({ noun, level, fixable: fixesRecords(rule, own), evidence: own.evidence?.[rule.id] ?? '' });
  }
  if (from === undefined) return explainRule({ ...rule, fixable: fixedWhereFound(rule) }, style, formats);
  const applies = (await rulesFor(from)).some(({ id }) => id === rule.id);
  return explainRule({ ...rule, ...(applies ? formats[0] : { level: 'off', fixable: false }) }, style, formats);
}
