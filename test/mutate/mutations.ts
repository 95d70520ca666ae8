import { type Token, tokensOf } from './tokens.ts';

/** One small change of a source. */
export interface Mutation {
  readonly start: number;
  readonly end: number;
  readonly with: string;
}

/** Formatted code has spaces around an operator and none around the brackets of a generic type. */
const SWAPPED: ReadonlyMap<string, string> = new Map([
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['===', '!=='],
  ['!==', '==='],
  ['&&', '||'],
  ['||', '&&'],
  ['+', '-'],
  ['-', '+'],
  ['+=', '-='],
  ['-=', '+='],
]);
const FLIPPED: ReadonlyMap<string, string> = new Map([
  ['true', 'false'],
  ['false', 'true'],
]);

/** What a string is compared with or looked up by; all others may be messages. */
const BEFORE_KEY = new Set(['===', '!==', 'case']);
const LOOKUPS = new Set(['has', 'get', 'startsWith', 'endsWith', 'includes', 'indexOf', 'delete', 'split', 'join']);

/** What begins something other than an expression that stands alone. */
const NO_EXPRESSION = new Set(
  (
    'return const let var if else for while do switch case default break continue throw try catch finally function class ' +
    'interface type import export readonly static private public protected declare abstract async get set yield new'
  ).split(' '),
);

export function mutationsOf(source: string): Mutation[] {
  const tokens = withoutTypesAndImports(tokensOf(source));
  const mutations: Mutation[] = [];
  const open: string[] = [];
  for (const [at, token] of tokens.entries()) {
    const before = tokens[at - 1];
    const change = (text: string): void => void mutations.push({ start: token.start, end: token.end, with: text });
    if (token.kind === 'mark') {
      const isSpaced = source[token.start - 1] === ' ' && /\s/.test(source[token.end] ?? '');
      const other = isSpaced ? SWAPPED.get(token.text) : undefined;
      if (other !== undefined) change(other);
      if (token.text === '!') change('');
    } else if (token.kind === 'word') {
      const flipped = FLIPPED.get(token.text);
      // Beside a bar it is a type.
      if (flipped !== undefined && before?.text !== '|' && tokens[at + 1]?.text !== '|') change(flipped);
    } else if (token.kind === 'number') {
      const value = Number(token.text.replaceAll('_', ''));
      if (Number.isFinite(value)) change(String(value + 1));
    } else if (token.kind === 'string' && token.text.length > 2 && before) {
      const isLookup = before.text === '(' && LOOKUPS.has(tokens[at - 2]?.text ?? '');
      if (isLookup || BEFORE_KEY.has(before.text)) change("''");
    }
    // In round brackets stand the parts of a loop's head.
    const statement = open.at(-1) === '(' ? undefined : statementAt(tokens, at);
    if (statement) mutations.push(statement);
    if (token.kind === 'mark' && '([{'.includes(token.text)) open.push(token.text);
    else if (token.kind === 'mark' && ')]}'.includes(token.text)) open.pop();
  }
  return mutations;
}

/** Without a statement, or without what a return gives. */
function statementAt(tokens: readonly Token[], at: number): Mutation | undefined {
  const first = tokens[at];
  const before = tokens[at - 1]?.text ?? '';
  if (first?.kind !== 'word' || first.text.startsWith('#') || !['{', '}', ';', ')', 'else'].includes(before)) return undefined;
  const isGuard = before === ')' && (first.text === 'return' || first.text === 'continue' || first.text === 'break');
  const isReturn = first.text === 'return' && !isGuard;
  if (!isGuard && !isReturn && NO_EXPRESSION.has(first.text)) return undefined;
  let depth = 0;
  for (let to = at; to < tokens.length; to++) {
    const token = tokens[to] as Token;
    if (token.kind === 'template') continue;
    if ('([{'.includes(token.text)) depth++;
    else if (')]}'.includes(token.text)) depth--;
    // `name: type;` is no statement.
    if (depth < 0 || (depth === 0 && token.text === ':' && to === at + 1)) return undefined;
    if (depth === 0 && token.text === ';') {
      if (!isReturn) return { start: first.start, end: token.end, with: ';' };
      return to === at + 1 ? undefined : { start: first.start, end: token.end, with: 'return undefined;' };
    }
  }
  return undefined;
}

function withoutTypesAndImports(tokens: readonly Token[]): Token[] {
  const kept: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token;
    const before = tokens[at - 1]?.text ?? ';';
    const begins = token.kind === 'word' && [';', '}', 'export'].includes(before);
    const next = tokens[at + 1];
    if (begins && token.text === 'interface') at = closing(tokens, at, '}');
    else if (begins && token.text === 'type' && next?.kind === 'word') at = closing(tokens, at, ';');
    else if (begins && token.text === 'import') at = closing(tokens, at, ';');
    else if (token.text === 'export' && ['{', '*', 'type'].includes(next?.text ?? '') && token.kind === 'word')
      at = closing(tokens, at, ';');
    else kept.push(token);
  }
  return kept;
}

/** Where a declaration ends: at the mark, outside of all brackets. */
function closing(tokens: readonly Token[], from: number, mark: string): number {
  let depth = 0;
  for (let at = from; at < tokens.length; at++) {
    const { text, kind } = tokens[at] as Token;
    if (kind !== 'mark') continue;
    if ('([{'.includes(text)) depth++;
    else if (')]}'.includes(text)) depth--;
    if (depth === 0 && text === mark) return at;
  }
  return tokens.length;
}
