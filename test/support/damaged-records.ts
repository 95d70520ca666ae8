import fc from 'fast-check';
import { fault, withFault } from './damage.ts';

const TEXTS = [
  'hello',
  'café ☃ 😀',
  'a "quoted" {"type":"x","timestamp":"y","payload":{}} \\ text',
  '\u0001\n\t',
  '{',
  '"}',
];

const time = (at: number): string => new Date(Date.UTC(2026, 2, 2, 9, 0, at)).toISOString();
const uuid = (at: number): string => `c0ffee00-0000-4000-8000-${String(at).padStart(12, '0')}`;

const turns = fc.array(
  fc.record({
    kind: fc.constantFrom(
      'user',
      'answer',
      'think',
      'call',
      'call',
      'two calls',
      'note',
      'compact',
      'keep',
      'side',
      'system',
    ),
    text: fc.constantFrom(...TEXTS),
  }),
  { minLength: 1, maxLength: 8 },
);

interface Turn {
  readonly kind: string;
  readonly text: string;
}

const ending = fc.constantFrom('\n', '\n', '\n', '\r\n');

/** Healthy rollouts of Codex, with and without ordinals. */
export const rollout: fc.Arbitrary<Buffer> = fc
  .record({ turns, ending, isPaginated: fc.boolean() })
  .map(({ turns, ending, isPaginated }) => {
    const records: object[] = [];
    const add = (type: string, payload: object): void => {
      const at = records.length;
      records.push({ timestamp: time(at), ...(isPaginated ? { ordinal: at } : {}), type, payload });
    };
    const mode = isPaginated ? { history_mode: 'paginated' } : {};
    add('session_meta', {
      id: uuid(0),
      timestamp: time(0),
      cwd: '/work/shop',
      originator: 'codex_cli_rs',
      cli_version: '0.166.0',
      ...mode,
    });
    for (const [at, turn] of turns.entries()) codexTurn(turn, at, add);
    return Buffer.from(records.map((record) => JSON.stringify(record) + ending).join(''));
  });

function codexTurn({ kind, text }: Turn, at: number, add: (type: string, payload: object) => void): void {
  const say = (role: string): void =>
    add('response_item', {
      type: 'message',
      role,
      content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
    });
  const call = (id: string): void =>
    add('response_item', { type: 'function_call', name: 'shell', arguments: '{}', call_id: id });
  const answer = (id: string): void =>
    add('response_item', { type: 'function_call_output', call_id: id, output: text });
  if (kind === 'call') {
    call(`call_${at}`);
    answer(`call_${at}`);
  } else if (kind === 'two calls') {
    call(`call_${at}a`);
    call(`call_${at}b`);
    answer(`call_${at}a`);
    answer(`call_${at}b`);
  } else if (kind === 'think') add('response_item', { type: 'reasoning', summary: [], encrypted_content: 'abc' });
  else if (kind === 'note') add('event_msg', { type: 'agent_message', message: text });
  else if (kind === 'compact') add('compacted', { message: text, replacement_history: [] });
  else say(kind === 'user' ? 'user' : 'assistant');
}

/** Healthy sessions of Claude Code, with parallel calls, subagents and compactions. */
export const transcript: fc.Arbitrary<Buffer> = fc.record({ turns, ending }).map(({ turns, ending }) => {
  const session = new Transcript();
  claudeTurn({ kind: 'user', text: 'begin' }, -1, session);
  for (const [at, turn] of turns.entries()) claudeTurn(turn, at, session);
  return Buffer.from(session.records.map((record) => JSON.stringify(record) + ending).join(''));
});

class Transcript {
  readonly records: object[] = [];
  #leaf: string | null = null;

  get leaf(): string | null {
    return this.#leaf;
  }

  #sideLeaf: string | null = null;

  add(type: string, rest: object, parent = this.#leaf): string {
    const at = this.records.length;
    const place = { parentUuid: parent, isSidechain: false, uuid: uuid(at), timestamp: time(at), sessionId: 's1' };
    this.records.push({ ...place, type, cwd: '/work/shop', version: '2.1.325', ...rest });
    this.#leaf = uuid(at);
    return uuid(at);
  }

  side(type: string, rest: object): void {
    const leaf = this.#leaf;
    this.#sideLeaf = this.add(type, { isSidechain: true, agentId: 'a1', ...rest }, this.#sideLeaf);
    this.#leaf = leaf;
  }

  note(record: object): void {
    this.records.push(record);
  }
}

function claudeTurn({ kind, text }: Turn, at: number, session: Transcript): void {
  const answer = (block: object, id = `msg_${at}`, parent?: string): string =>
    session.add(
      'assistant',
      { message: { id, type: 'message', role: 'assistant', model: 'm', content: [block] } },
      parent,
    );
  const call = (id: string): object => ({ type: 'tool_use', id, name: 'Bash', input: { command: text } });
  const result = (id: string, parent?: string): void => {
    const content = [{ tool_use_id: id, type: 'tool_result', content: text }];
    session.add(
      'user',
      { message: { role: 'user', content }, toolUseResult: text, sourceToolAssistantUUID: parent },
      parent,
    );
  };
  const user = { message: { role: 'user', content: text } };
  if (kind === 'call') {
    answer(call(`toolu_${at}`));
    result(`toolu_${at}`);
  } else if (kind === 'two calls') {
    const first = answer(call(`toolu_${at}a`));
    const second = answer(call(`toolu_${at}b`));
    result(`toolu_${at}a`, first);
    result(`toolu_${at}b`, second);
  } else if (kind === 'think') {
    answer({ type: 'thinking', thinking: text, signature: 'c2ln' });
    answer({ type: 'text', text: `${text}.` });
  } else if (kind === 'note')
    session.note({ type: 'last-prompt', lastPrompt: text, leafUuid: session.leaf, sessionId: 's1' });
  else if (kind === 'system') session.add('system', { subtype: 'turn_duration', durationMs: 5 });
  else if (kind === 'compact' || kind === 'keep') {
    // A result must not be kept without its call.
    const leaf = kind === 'keep' ? session.add('user', user) : session.leaf;
    const kept = { preservedSegment: { headUuid: leaf, tailUuid: leaf }, preservedMessages: { uuids: [leaf] } };
    const metadata = { trigger: 'auto', preTokens: 9, ...(kind === 'keep' ? kept : {}) };
    session.add(
      'system',
      { subtype: 'compact_boundary', content: 'Conversation compacted', compactMetadata: metadata },
      null,
    );
    session.add('user', { isCompactSummary: true, ...user });
  } else if (kind === 'side') session.side('user', user);
  else if (kind === 'answer') answer({ type: 'text', text: `${text}.` });
  else session.add('user', user);
}

/** The members that a fault takes, by what they are of. */
const MEMBERS = [
  'uuid',
  'parentUuid',
  'message',
  'role',
  'type',
  'timestamp',
  'payload',
  'call_id',
  'content',
  'ordinal',
  'id',
  'tool_use_id',
  'signature',
  'cwd',
  'leafUuid',
  'headUuid',
];
const VALUE = '(null|\\d+|"(?:[^"\\\\]|\\\\.)*")';

/** One thing that goes wrong with the bytes or with a member. */
const recordFault = fc.record({
  bytes: fault,
  kind: fc.constantFrom('bytes', 'bytes', 'bytes', 'unmember', 'retype', 'copy'),
  member: fc.constantFrom(...MEMBERS),
});

function withRecordFault(
  bytes: Buffer,
  {
    bytes: place,
    kind,
    member,
  }: { readonly bytes: Parameters<typeof withFault>[1]; readonly kind: string; readonly member: string },
): Buffer {
  if (kind === 'bytes') return withFault(bytes, place);
  const lines = bytes.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const index = place.at % Math.max(1, lines.length);
  const line = lines[index] ?? '';
  const value = new RegExp(`"${member}":${VALUE}`);
  const other = value.exec(lines[place.other % Math.max(1, lines.length)] ?? '')?.[0];
  const changed =
    kind === 'unmember'
      ? line.replace(`"${member}":`, '"was":')
      : line.replace(
          value,
          kind === 'copy' ? (other ?? '$&') : `"${member}":${['5', 'null', '"gone"', '""', '[]'][place.byte % 5]}`,
        );
  return Buffer.from([...lines.slice(0, index), changed, ...lines.slice(index + 1)].join(''), 'latin1');
}

export function damaged(session: fc.Arbitrary<Buffer>, maxLength = 4): fc.Arbitrary<Buffer> {
  return fc
    .tuple(session, fc.array(recordFault, { maxLength }))
    .map(([bytes, faults]) => faults.reduce(withRecordFault, bytes));
}
