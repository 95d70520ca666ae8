import fc from 'fast-check';

/** Healthy sessions of all versions, as bytes: trees, labels, compactions, text of all kinds. */
export const session: fc.Arbitrary<Buffer> = fc
  .record({
    version: fc.constantFrom(1, 2, 3, 3, 3),
    crlf: fc.constantFrom(false, false, false, true),
    slot: fc.constantFrom(false, false, true),
    spaced: fc.boolean(),
    plan: fc.array(
      fc.record({
        kind: fc.constantFrom(
          'user',
          'assistant',
          'call',
          'result',
          'label',
          'custom',
          'compaction',
          'branch_summary',
          'odd',
        ),
        back: fc.nat({ max: 4 }),
        target: fc.nat({ max: 30 }),
        text: fc.constantFrom(
          'hello',
          'café ☃ 😀',
          'a "quoted" {"type":"x"} \\ text',
          '\u0000\u001f\n\ttabs',
          '{',
          '',
          '"}',
        ),
      }),
      { minLength: 1, maxLength: 12 },
    ),
  })
  .map(({ version, crlf, slot, spaced, plan }) => {
    const write = (value: object): string =>
      spaced ? JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ') : JSON.stringify(value);
    const time = (at: number): string => new Date(Date.UTC(2026, 2, 2, 9, 0, at)).toISOString();
    const lines: string[] = [];
    if (slot) lines.push(titleSlot(crlf ? 254 : 255));
    lines.push(
      write({
        type: 'session',
        ...(version === 1 ? {} : { version }),
        id: 'c0ffee00-0000-4000-8000-000000000001',
        timestamp: time(0),
        cwd: '/work/shop',
      }),
    );
    const ids: string[] = [];
    plan.forEach(({ kind, back, target, text }, at) => {
      const id = `e${(at * 2654435761).toString(16).slice(-7).padStart(7, '0')}`;
      const parentId = ids.at(-1 - back) ?? ids.at(-1) ?? null;
      const named = ids[target % Math.max(1, ids.length)] ?? id;
      const place = version === 1 ? {} : { id, parentId };
      lines.push(
        write(
          entry(
            kind,
            text,
            { ...place, timestamp: time(at + 1) },
            named,
            version === 1 ? 1 + (target % (at + 1)) : undefined,
          ),
        ),
      );
      ids.push(id);
    });
    const newline = crlf ? '\r\n' : '\n';
    return Buffer.from(lines.map((line) => line + newline).join(''));
  });

function titleSlot(length: number): string {
  const head = '{"type":"title","v":1,"title":"A title","updatedAt":"2026-03-02T09:00:00.000Z","pad":"';
  return `${head}${' '.repeat(length - head.length - 2)}"}`;
}

function entry(kind: string, text: string, place: object, named: string, index: number | undefined): object {
  const message = (value: object): object => ({ type: 'message', ...place, message: value });
  switch (kind) {
    case 'user':
      return message({ role: 'user', content: [{ type: 'text', text }] });
    case 'assistant':
      return message({
        role: 'assistant',
        content: [{ type: 'text', text }],
        provider: 'p',
        model: 'm',
        stopReason: 'stop',
      });
    case 'call':
      return message({
        role: 'assistant',
        content: [{ type: 'toolCall', id: 't1', name: 'bash', arguments: { command: text } }],
        stopReason: 'toolUse',
      });
    case 'result':
      return message({
        role: 'toolResult',
        toolCallId: 't1',
        toolName: 'bash',
        content: [{ type: 'text', text }],
        isError: false,
      });
    case 'label':
      return { type: 'label', ...place, targetId: named, label: text };
    case 'compaction': {
      const kept = index === undefined ? { firstKeptEntryId: named } : { firstKeptEntryIndex: index };
      return { type: 'compaction', ...place, summary: text, ...kept, tokensBefore: 1000 };
    }
    case 'branch_summary':
      return { type: 'branch_summary', ...place, fromId: named, summary: text };
    case 'odd':
      return { type: 'from_the_future', ...place, text };
    default:
      return { type: 'custom', ...place, customType: 'x', data: { text, nested: { type: 'y', id: 'z' } } };
  }
}

interface Fault {
  readonly name: string;
  readonly at: number;
  readonly other: number;
  readonly byte: number;
}

/** One thing that goes wrong, at a place that is a share of the file. */
export const fault: fc.Arbitrary<Fault> = fc.record({
  name: fc.constantFrom(
    'cut line',
    'cut start',
    'cut file',
    'glue',
    'swap',
    'nul run',
    'nul over',
    'flip',
    'duplicate',
    'duplicate end',
    'drop',
    'drop header',
    'garbage',
    'conflict',
    'print',
    'mark',
    'rename',
    'reparent',
    'unmember',
    'retype',
    'bad utf8',
    'second header',
    'no newline',
    'carriage',
  ),
  at: fc.nat({ max: 9999 }),
  other: fc.nat({ max: 9999 }),
  byte: fc.nat({ max: 255 }),
});

/** The bytes with one thing gone wrong. */
export function withFault(bytes: Buffer, { name, at, other, byte }: Fault): Buffer {
  const text = bytes.toString('latin1');
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  if (lines.length === 0) return bytes;
  const index = at % lines.length;
  const line = lines[index] as string;
  const place = text.length === 0 ? 0 : (at * 7919 + other) % text.length;
  const inLine = other % Math.max(1, line.length);
  const withLine = (changed: string): string => [...lines.slice(0, index), changed, ...lines.slice(index + 1)].join('');
  const changed = (): string => {
    switch (name) {
      case 'cut line':
        return withLine(`${line.slice(0, inLine)}\n`);
      case 'cut start':
        return withLine(line.slice(inLine));
      case 'cut file':
        return text.slice(0, place);
      case 'glue':
        return withLine(line.trimEnd());
      case 'swap': {
        const second = other % lines.length;
        const swapped = [...lines];
        swapped[index] = lines[second] as string;
        swapped[second] = line;
        return swapped.join('');
      }
      case 'nul run':
        return text.slice(0, place) + '\0'.repeat(1 + (byte % 9)) + text.slice(place);
      case 'nul over':
        return text.slice(0, place) + '\0'.repeat(byte) + text.slice(place + byte);
      case 'flip':
        return text.slice(0, place) + String.fromCharCode(byte) + text.slice(place + 1);
      case 'duplicate':
        return withLine(line + line);
      case 'duplicate end':
        return text + line;
      case 'drop':
        return withLine('');
      case 'drop header':
        return lines.filter((one) => !one.includes('"session"')).join('');
      case 'garbage':
        return withLine(
          `${line}${['hello', '// c', 'null', '[1]', '}{', '   ', '{"a":', '"x"', '{}', '{"type":7}'][byte % 10]}\n`,
        );
      case 'conflict':
        return withLine(
          `<<<<<<< HEAD\n${line}=======\n${line.replace(/"(user|assistant)"/, '"developer"')}>>>>>>> x\n`,
        );
      case 'print':
        return withLine(printed(line, byte));
      case 'mark':
        return `\u00ef\u00bb\u00bf${text}`;
      case 'rename':
        return withLine(
          line.replace(
            /"id": ?"e[^"]*"/,
            (lines[other % lines.length] as string).match(/"id": ?"e[^"]*"/)?.[0] ?? '"id":"new"',
          ),
        );
      case 'reparent':
        return withLine(
          line.replace(
            /"parentId": ?(null|"[^"]*")/,
            `"parentId":${['7', '"gone"', 'null', ownId(lines[other % lines.length]), ownId(line)][byte % 5]}`,
          ),
        );
      case 'unmember':
        return withLine(
          line.replace(new RegExp(`"${['id', 'parentId', 'message', 'role', 'type'][byte % 5]}":`), '"was":'),
        );
      case 'retype':
        return withLine(
          line.replace(
            new RegExp(`"${['id', 'parentId', 'message', 'role', 'type', 'version'][byte % 6]}": ?("[^"]*"|null|\\d)`),
            (whole) => whole.replace(/:.*/, ':5'),
          ),
        );
      case 'bad utf8':
        return (
          text.slice(0, place) +
          ['\u00ff', '\u00c3', '\u00e2\u0098', '\u00f0\u009f\u0098', '\u00ed\u00a0\u0080', '\u00c0\u00af'][byte % 6] +
          text.slice(place)
        );
      case 'second header':
        return withLine(
          `${line}{"type":"session","version":3,"id":"second","timestamp":"2026-03-02T09:00:00.000Z","cwd":"/"}\n`,
        );
      case 'no newline':
        return text.replace(/\r?\n$/, '');
      case 'carriage':
        return withLine(line.replace(/\r?\n$/, byte % 2 === 0 ? '\r\n' : '\n'));
      default:
        return text;
    }
  };
  return Buffer.from(changed(), 'latin1');
}

function ownId(line: string | undefined): string {
  return line?.match(/"id": ?("[^"]*")/)?.[1] ?? '"none"';
}

function printed(line: string, indent: number): string {
  try {
    return `${JSON.stringify(JSON.parse(line), null, 1 + (indent % 4))}\n`;
  } catch {
    return line;
  }
}
