import type { JsonObject } from '../../json/value.ts';
import { NO_TOKENS, type Tokens } from '../activity.ts';
import { nativeUsage } from '../usage.ts';

/** 'Aider v0.75.1'. */
export function versionIn(line: string): string | undefined {
  return /^Aider v(\S+)$/.exec(line)?.[1];
}

/** 'Main model: anthropic/claude-sonnet with diff edit format', in the words of several versions. */
export function modelIn(line: string): string | undefined {
  return /^(?:Main model|Models?): (\S+) with /.exec(line)?.[1];
}

export function isInterrupt(line: string): boolean {
  return line.startsWith('^C KeyboardInterrupt');
}

const NUMBER = String.raw`([\d.,]+)([kM]?)`;
const COUNT: readonly (readonly [member: keyof Tokens, pattern: RegExp])[] = [
  ['input', new RegExp(`${NUMBER} sent`)],
  ['cacheWrite', new RegExp(`${NUMBER} cache write`)],
  ['cacheRead', new RegExp(`${NUMBER} cache hit`)],
  ['output', new RegExp(`${NUMBER} received`)],
];
/** Aider's line is shorter; a longer one is not searched. */
const LONGEST = 500;
const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1_000, M: 1_000_000 };

/** 'Tokens: 7.2k sent, 1.1k received. Cost: $0.03 message, $0.10 session.' */
export function usageIn(line: string): { readonly usage: JsonObject; readonly isRounded: boolean } | undefined {
  if (!line.startsWith('Tokens: ') || line.length > LONGEST) return undefined;
  let isRounded = false;
  const tokens = { ...NO_TOKENS };
  for (const [member, pattern] of COUNT) {
    const [, digits = '0', unit = ''] = pattern.exec(line) ?? [];
    isRounded ||= unit !== '';
    tokens[member] = Math.round(Number(digits.replaceAll(',', '')) * (UNITS[unit] ?? 1)) || 0;
  }
  const total = Number(/Cost: \$(\d+(?:\.\d+)?) message/.exec(line)?.[1] ?? 0);
  return { usage: nativeUsage(tokens, total), isRounded };
}
