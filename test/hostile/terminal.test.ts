import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rawControls } from '../support/hostile.ts';
import { run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const folder = scratchFolder();
const EVIL = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eevil\u200b\u2066\ufeff\r\u0008\u2028';
const evilJson = JSON.stringify(EVIL);
const TIME = '"timestamp":"2026-01-01T00:00:01.000Z"';
const LOG = [
  `{"type":"session","version":3,"id":${evilJson},${TIME},"cwd":${evilJson},"title":${evilJson},"parentSession":${evilJson}}`,
  `{"type":"message","id":"a","parentId":null,${TIME},"message":{"role":"user","content":${evilJson}}}`,
  `{"type":"message","id":${evilJson},"parentId":"a",${TIME},"message":{"role":"assistant","content":[{"type":"toolCall","id":${evilJson},"name":${evilJson},"arguments":{${evilJson}:${evilJson}}},{"type":${evilJson}}],"provider":${evilJson},"model":${evilJson},"stopReason":${evilJson},"errorMessage":${evilJson}}}`,
  `{"type":"message","id":"r","parentId":${evilJson},${TIME},"message":{"role":"toolResult","toolCallId":${evilJson},"toolName":${evilJson},"content":[{"type":"text","text":${evilJson}}],"isError":true}}`,
  `{"type":"label","id":"l","parentId":"a",${TIME},"targetId":"a","label":${evilJson}}`,
  `{"type":${evilJson},"id":"t","parentId":${JSON.stringify(`${EVIL}gone`)},"timestamp":${evilJson},${evilJson}:1}`,
  `{"type":"compaction","id":"c","parentId":"r",${TIME},"summary":${evilJson},"firstKeptEntryId":${evilJson},"tokensBefore":1}`,
  `{"type":"message","id":"z","parentId":"c",${TIME},"message":{"role":${evilJson},"content":${evilJson}}}`,
  // Long enough for a tree to fold it.
  ...Array.from(
    { length: 6 },
    (_, at) => `{"type":${evilJson},"id":"k${at}","parentId":"${at === 0 ? 'z' : `k${at - 1}`}",${TIME}}`,
  ),
  '',
].join('\n');

describe('a terminal', () => {
  // The name of the file is as evil as what it holds.
  const path = join(folder, `\u001b[31m\u202e\u200bx.jsonl`);
  writeFileSync(path, LOG);
  const blobs = join(folder, 'blobs');
  mkdirSync(blobs);
  const damaged = join(folder, '\u009b2Jdamaged.jsonl');
  writeFileSync(damaged, `${LOG}{"torn\u001b[2J`);

  it.each([
    ...[
      ['validate'],
      ['validate', '--strict'],
      ['repair', '-n'],
      ['migrate', '--check'],
      ['context', '--explain'],
      ['tree'],
      ['tree', '--leaves'],
    ],
    ...[
      ['log'],
      ['log', '--leaf', 'a'],
      ['diff'],
      ['status'],
      ['status', '--workspace', folder],
      ['blobs', 'ls', '--blobs', blobs],
    ],
    ...[
      ['tree', '--json'],
      ['log', '--json'],
      ['status', '--json'],
      ['context'],
      ['context', '--state'],
      ['context', '--as', 'openai'],
    ],
    ...[
      ['validate', '--format', 'json'],
      ['validate', '--format', 'github'],
      ['diff', '--json'],
      ['blobs', 'verify', '--blobs', blobs],
    ],
    // What hands a log on does so byte for byte, but not to a terminal.
    ...[
      ['migrate'],
      ['repair'],
      ['fork'],
      ['validate', '--pass'],
      ['inline', '--blobs', blobs],
      ['externalize', '--blobs', blobs],
    ],
  ])('gets nothing raw out of a log or a path from %s %s', async (...words) => {
    for (const file of [path, damaged]) {
      const ran = await run([...words, file], { stdoutIsTerminal: true, columns: 70 });
      expect(rawControls(ran.stdout), words.join(' ')).toEqual([]);
      // The progress of a slow machine is our own.
      expect(rawControls(ran.stderr.replace(/\r\u001b\[K/g, '')), words.join(' ')).toEqual([]);
    }
  });

  it.each([
    ['context', '--leaf', EVIL],
    ['context', '--leaf', `id:${EVIL}x`],
    ['fork', path, `${EVIL}x`],
    ['log', '--type', EVIL],
    ['validate', `--${EVIL}`],
    ['validate', '--rule', `${EVIL}=off`],
    ['repair', '--only', EVIL],
    [EVIL],
    ['validate', join(folder, `${EVIL}gone.jsonl`)],
    ['append', join(folder, EVIL, 'x.jsonl')],
  ])('gets nothing raw out of the error that %s gives', async (...words) => {
    const ran = await run(words[0] === 'fork' || words.length < 2 ? words : [...words, path], {
      stdoutIsTerminal: true,
      stdin: '{}\n',
    });
    expect(rawControls(ran.stdout + ran.stderr)).toEqual([]);
  });
});
