import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { EntryType } from '../../src/entries/entry-type.ts';
import { messageRoles } from '../../src/entries/messages.ts';
import { checkShape } from '../../src/entries/schema/index.ts';
import { schemaOf } from '../../src/entries/schema/shapes.ts';
import { entryTypes } from '../../src/entries/types/index.ts';
import { isObject } from '../../src/json/value.ts';
import { projectRoot } from '../support/run.ts';

it('checks the entries of a small log without compiling a schema, which would take longer than the log', () => {
  const compiled = vi.spyOn(globalThis, 'Function');
  const lines = readFileSync(join(projectRoot, 'fixtures/sessions/pi-branches.jsonl'), 'utf8').trim().split('\n');
  for (const line of lines) {
    const value: unknown = JSON.parse(line);
    if (isObject(value)) expect(checkShape(value, 3)).toEqual([]);
  }
  expect(compiled).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

it('makes the schemas of an entry type once', () => {
  for (const type of entryTypes)
    for (const version of [1, 2, 3] as const) expect(schemaOf(type, version)).toBe(schemaOf(type, version));
});

it('finds the same in a message whether it is checked against its role or against all roles', () => {
  const message = entryTypes.find(({ name }) => name === 'message') as EntryType;
  const values = [undefined, null, 1, 'text', [], [null], [{ type: 'text' }], [{ type: 'other' }], {}];
  for (const version of [1, 2, 3] as const)
    for (const { name, isOld } of messageRoles.filter((role) => version < 3 || !role.isOld))
      for (const content of values) {
        const value = { type: 'message', id: 'a', parentId: null, message: { role: name, content, usage: 1 } };
        const [own, any] = [schemaOf(message, version, name), schemaOf(message, version)].map((one) =>
          one.safeParse(value),
        );
        expect(own?.error?.issues, `${version} ${name} ${isOld}`).toEqual(any?.error?.issues);
      }
});
