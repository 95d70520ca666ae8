/** What the gate says, mildest first. Everything but `ready` needs someone, or something, to look first. */
export const VERDICTS = ['ready', 'check', 'confirm', 'blocked'] as const;
export type Verdict = (typeof VERDICTS)[number];

export function severity(verdict: Verdict): number {
  return VERDICTS.indexOf(verdict);
}

/** The worst of them; `ready` where there are none. */
export function worst(verdicts: readonly Verdict[]): Verdict {
  return verdicts.reduce<Verdict>((most, one) => (severity(one) > severity(most) ? one : most), 'ready');
}

export function milder(a: Verdict, b: Verdict): Verdict {
  return severity(a) <= severity(b) ? a : b;
}

/** One level up; `blocked` stays. */
export function raised(verdict: Verdict): Verdict {
  return VERDICTS[severity(verdict) + 1] ?? 'blocked';
}
