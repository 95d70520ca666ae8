export interface Token {
  readonly kind: 'word' | 'number' | 'string' | 'template' | 'regex' | 'mark';
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const SPACE_OR_COMMENT = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const WORD = /[#\p{ID_Start}$_][\p{ID_Continue}$]*/uy;
const NUMBER = /(?:0[xX][\da-fA-F_]+|0[bB][01_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)n?/y;
const STRING = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y;
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const TEMPLATE_PIECE = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y;
const MARK = /\.\.\.|=>|===|!==|==|!=|<=|>=|&&=|\|\|=|\?\?=|&&|\|\||\?\?|\?\.|\+\+|--|\*\*|\+=|-=|\*=|\/=|[\s\S]/y;

/** Words behind which a slash begins a regular expression: they are no values. */
const NO_VALUE = new Set(['return', 'typeof', 'case', 'in', 'of', 'await', 'yield', 'else', 'void', 'delete', 'throw']);

/** The tokens of a source in TypeScript, without space and comments; a template comes in pieces, with the code between them. */
export function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  // How deep in braces each open template's code is.
  const templates: number[] = [];
  let at = 0;
  const take = (kind: Token['kind'], pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const text = pattern.exec(source)?.[0];
    if (text === undefined) return false;
    tokens.push({ kind, text, start: at, end: at + text.length });
    at += text.length;
    return true;
  };
  const template = (): void => {
    if (!take('template', TEMPLATE_PIECE)) throw new Error(`a template that does not end, at ${at}`);
    if (tokens.at(-1)?.text.endsWith('${')) templates.push(0);
  };
  while (at < source.length) {
    SPACE_OR_COMMENT.lastIndex = at;
    const skipped = SPACE_OR_COMMENT.exec(source);
    if (skipped) {
      at += skipped[0].length;
      continue;
    }
    const char = source[at];
    if (char === '`') {
      at++;
      template();
      continue;
    }
    const depth = templates.at(-1);
    if (depth !== undefined && (char === '{' || char === '}')) {
      if (char === '}' && depth === 0) {
        templates.pop();
        at++;
        template();
        continue;
      }
      templates[templates.length - 1] = depth + (char === '{' ? 1 : -1);
    }
    if (take('word', WORD) || take('number', NUMBER) || take('string', STRING)) continue;
    if (char === '/' && !endsValue(tokens.at(-1)) && take('regex', REGEX)) continue;
    take('mark', MARK);
  }
  return tokens;
}

function endsValue(token: Token | undefined): boolean {
  if (!token) return false;
  if (token.kind === 'word') return !NO_VALUE.has(token.text);
  if (token.kind === 'mark') return token.text === ')' || token.text === ']' || token.text === '}';
  return true;
}
