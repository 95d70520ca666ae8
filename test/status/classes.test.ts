import { describe, expect, it } from 'vitest';
import { CLASS_NAMES, classifier, parseClassRules, TOOL_CLASSES } from '../../src/status/classes.ts';

describe('the table of tool classes', () => {
  it('has one row a class and names no tool twice', () => {
    expect(TOOL_CLASSES.map((row) => row.class)).toEqual([...CLASS_NAMES]);
    const names = TOOL_CLASSES.flatMap((row) => row.tools);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toBe(name.toLowerCase());
  });

  it('finds every tool of a row in that row, whatever its case', () => {
    const classify = classifier();
    for (const row of TOOL_CLASSES) {
      for (const tool of row.tools) {
        if (tool === 'lsp') continue;
        expect(classify(tool.replace('*', 'x').toUpperCase()).class, tool).toBe(row.class);
      }
    }
  });

  it('takes every tool of an MCP server for an external write, also one with a harmless name', () => {
    expect(classifier()('mcp__files__read').class).toBe('external-write');
  });

  it('says unknown for a name that it does not know, and confirms', () => {
    expect(classifier()('frobnicate')).toMatchObject({ class: 'unknown', idempotency: 'unsafe', verdict: 'confirm' });
    expect(classifier()('')).toMatchObject({ class: 'unknown' });
    expect(classifier()('readx')).toMatchObject({ class: 'unknown' });
  });

  it('takes a question to a language server for a read and everything else for a write', () => {
    const classify = classifier();
    expect(classify('lsp', { action: 'references' }).class).toBe('read');
    expect(classify('lsp', { action: 'rename' }).class).toBe('workspace-write');
    expect(classify('lsp').class).toBe('workspace-write');
    expect(classify('lsp', { operation: 'references' }).class).toBe('read');
    expect(classify('lsp', { method: 'references' }).class).toBe('read');
    expect(classify('lsp', { action: 7 }).class).toBe('workspace-write');
  });
});

describe('rules of the user', () => {
  it('come before the table, the first that fits wins, and a policy decides the verdict', () => {
    const rules = parseClassRules(
      JSON.stringify([
        { pattern: 'mcp__docs__*', class: 'read', note: 'only looks things up' },
        { pattern: 'Bash', class: 'process', policy: 'rerun-after-check', idempotency: 'conditional' },
        { pattern: 'bash', class: 'pure' },
        { pattern: 'deploy?', class: 'external-write', policy: 'never-rerun' },
      ]),
      'c.json',
    );
    const classify = classifier(rules);
    expect(classify('mcp__docs__search')).toMatchObject({ class: 'read', verdict: 'ready', rule: 'mcp__docs__*' });
    expect(classify('bash')).toMatchObject({
      class: 'process',
      idempotency: 'conditional',
      policy: 'rerun-after-check',
      verdict: 'check',
    });
    expect(classify('deploy2')).toMatchObject({ class: 'external-write', verdict: 'confirm' });
    expect(classify('deploy')).toMatchObject({ class: 'unknown' });
    expect(classify('mcp__mail__send')).toMatchObject({ class: 'external-write' });
  });

  it('give the verdict of the policy that they choose, never a worse one than the class has for a check', () => {
    const verdict = (
      name: 'read' | 'process' | 'pure',
      policy: 'replay-from-event' | 'rerun-after-check' | 'never-rerun',
    ): string => classifier([{ pattern: 'x', class: name, policy }])('x').verdict;
    expect(verdict('process', 'replay-from-event')).toBe('ready');
    expect(verdict('process', 'rerun-after-check')).toBe('check');
    expect(verdict('read', 'rerun-after-check')).toBe('ready');
    expect(verdict('pure', 'never-rerun')).toBe('confirm');
  });

  it('take the characters of a pattern for themselves', () => {
    const classify = classifier([{ pattern: 'a.b+c(', class: 'read' }]);
    expect(classify('a.b+c(').class).toBe('read');
    expect(classify('axb+c(').class).toBe('unknown');
  });

  it.each([
    ['{', /^c\.json: not JSON: /],
    ['{}', /JSON array of rules/],
    ['[1]', /^c\.json: rule 1: is not an object/],
    ['[{"pattern":"a","class":"read"},{"pattern":"","class":"read"}]', /rule 2: 'pattern'/],
    ['[{"pattern":"a"}]', /'class' is missing; it must be one of pure, read/],
    ['[{"pattern":"a","class":"raed"}]', /not 'raed'; did you mean 'read'\?/],
    ['[{"pattern":"a","class":"read","policy":"ask"}]', /'policy' must be one of replay-from-event/],
    [
      '[{"pattern":"a","class":"read","idempotency":1}]',
      /'idempotency' must be one of safe, conditional, unsafe, not 1/,
    ],
    ['[{"pattern":"a","clas":"read"}]', /unknown key 'clas'; did you mean 'class'\?/],
    [
      '[{"pattern":"a","class":"read","zzzzzzzz":1}]',
      /unknown key 'zzzzzzzz'; the keys are pattern, class, idempotency, policy, note/,
    ],
    ['[{"pattern":"a","class":"zzzzzzzz"}]', /'class' must be one of pure, read.*, not 'zzzzzzzz'$/],
    [`[{"pattern":"${'a'.repeat(201)}","class":"read"}]`, /too long/],
    ['[{"pattern":"*a*a*a*a*a*a*a*a*","class":"read"}]', /too many stars/],
  ])('are refused with a clear word: %s', (text, message) => {
    expect(() => parseClassRules(text, 'c.json')).toThrow(message);
  });
});
