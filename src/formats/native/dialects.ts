import { dialectOf } from '../../entries/dialect.ts';
import type { Dialect } from '../../entries/entry-type.ts';
import { messageOf } from '../../entries/envelope-check.ts';
import { entryTypeOf } from '../../entries/types/index.ts';
import { applySplices, arrayElements, changeMembers, findMember, type Splice, skipSpace } from '../../json/text.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import { decodeUtf8, encodeUtf8 } from '../../lines/line.ts';
import type { ConversionOptions, LossSeverity } from '../format.ts';
import { contentOf } from '../model-message.ts';

/** An entry as the other dialect has it, one character per byte. */
interface DialectEntry {
  readonly raw: string;
  readonly outcome: 'mapped' | 'custom';
  readonly losses: readonly (readonly [code: string, severity: LossSeverity])[];
}

type DialectOptions = Pick<ConversionOptions, 'dialect' | 'keep'>;

/** `--keep meta` keeps no longer entry. */
const MOST_RAW = 4096;
/** What pi writes for thinking that the provider has encrypted. */
const REDACTED = '"[Reasoning redacted]"';
/** Types that change what the model sees, which the other agent does not have: the code of the loss. */
const CONTEXT_TYPES: ReadonlyMap<unknown, string> = new Map([
  ['reset_boundary', 'RESET_BOUNDARY'],
  ['context_edit', 'CONTEXT_EDITED'],
]);

/** Types that differ only in names: the type in the other dialect, and its keys by their new names. */
const RENAMED: Readonly<Record<string, readonly [type: string, keys: Readonly<Record<string, string>>]>> = {
  title_change: ['session_info', { title: 'name' }],
  session_info: ['title_change', { name: 'title' }],
  model_usage: ['usage', { purpose: 'kind' }],
  usage: ['model_usage', { kind: 'purpose' }],
};

/** The entry in the target dialect; the same bytes where both dialects agree. `value` is the parsed `raw`. */
export function inDialect(raw: string, value: JsonObject, line: number, target: DialectOptions): DialectEntry {
  const original = originalOf(raw, value, target.dialect);
  if (original !== undefined) return mapped(original);
  const theirs = dialectOf(value);
  if (theirs === undefined || theirs === target.dialect) return sameType(raw, value, target.dialect);
  const { type } = value;
  if (type === 'model_change') return modelChange(raw, value, line, target);
  if (type === 'message') return otherRole(raw, value, line, target, theirs);
  const renamed = RENAMED[String(type)];
  if (renamed) return mapped(renamedEntry(raw, value, ...renamed));
  const code = CONTEXT_TYPES.get(type);
  return kept(raw, value, line, target, theirs, code === undefined ? ['ENTRY_AS_CUSTOM', 'info'] : [code, 'lossy']);
}

function mapped(raw: string, ...losses: DialectEntry['losses']): DialectEntry {
  return { raw, outcome: 'mapped', losses };
}

/** An entry that both dialects have: some members are spelled differently. */
function sameType(raw: string, value: JsonObject, dialect: Dialect): DialectEntry {
  const { type } = value;
  if (type === 'message') return blocksIn(raw, value, dialect);
  if (type === 'thinking_level_change' && dialect === 'pi' && typeof value['thinkingLevel'] !== 'string')
    return mapped(changeMembers(raw, value, new Map([['thinkingLevel', '"off"']])));
  if (typeof type !== 'string' || entryTypeOf(type)?.toModel !== 'summary') return mapped(raw);
  const losses: (readonly [string, LossSeverity])[] = [];
  const { preserveData, retainedTail, firstKeptEntryId } = value;
  if (dialect === 'pi' && isObject(preserveData) && isObject(preserveData['openaiRemoteCompaction']))
    losses.push(['REMOTE_COMPACTION', 'lossy']);
  if (dialect === 'omp' && Array.isArray(retainedTail) && typeof firstKeptEntryId !== 'string')
    losses.push(['RETAINED_TAIL', 'lossy']);
  const [from, to] = dialect === 'pi' ? ['fromExtension', 'fromHook'] : ['fromHook', 'fromExtension'];
  if (!Object.hasOwn(value, from) || Object.hasOwn(value, to)) return mapped(raw, ...losses);
  return mapped(renamedEntry(raw, value, type, { [from]: to }), ...losses);
}

/** The same members under other names. */
function renamedEntry(raw: string, value: JsonObject, type: string, keys: Readonly<Record<string, string>>): string {
  const changes = new Map<string, string | undefined>();
  if (value['type'] !== type) changes.set('type', JSON.stringify(type));
  for (const [from, to] of Object.entries(keys)) {
    const text = memberText(raw, from);
    if (text === undefined) continue;
    changes.set(from, undefined);
    changes.set(to, text);
  }
  // A title_change needs a title; a session_info without a name clears it.
  if (type === 'title_change' && !changes.has('title')) changes.set('title', '""');
  return changeMembers(raw, value, changes);
}

function modelChange(raw: string, value: JsonObject, line: number, target: DialectOptions): DialectEntry {
  const { model, role, provider, modelId } = value;
  if (target.dialect === 'omp') {
    const changes = { provider: undefined, modelId: undefined, model: JSON.stringify(`${provider}/${modelId}`) };
    return mapped(changeMembers(raw, value, new Map(Object.entries(changes))));
  }
  // pi has one model at a time.
  if (role !== undefined && role !== 'default') return kept(raw, value, line, target, 'omp', ['MODEL_ROLE', 'info']);
  const [name = '', ...rest] = String(model).split('/');
  const changes = {
    ...{ model: undefined, role: undefined },
    ...{ provider: JSON.stringify(name), modelId: JSON.stringify(rest.join('/')) },
  };
  return mapped(changeMembers(raw, value, new Map(Object.entries(changes))));
}

/** A message in a role that the other agent does not have: its content becomes a custom message. */
function otherRole(
  raw: string,
  value: JsonObject,
  line: number,
  target: DialectOptions,
  theirs: Dialect,
): DialectEntry {
  const message = messageOf(value) as JsonObject;
  const { role } = message;
  const content = message['excludeFromContext'] === true ? undefined : contentText(raw);
  if (content === undefined) return kept(raw, value, line, target, theirs, ['ROLE_AS_CUSTOM', 'info']);
  const isInstruction = role === 'developer' || role === 'system';
  const body = {
    ...{ customType: JSON.stringify(`${theirs}/${String(role)}`), content },
    ...{ display: String(!isInstruction), details: keptText(raw, line, target) },
  };
  const loss = isInstruction ? (['SYSTEM_AS_USER', 'info'] as const) : (['ROLE_AS_CUSTOM', 'lossy'] as const);
  return mapped(entryText('custom_message', raw, body), loss);
}

/** The content of the message in an entry, as JSON; undefined where it is empty. */
function contentText(raw: string): string | undefined {
  const content = contentOf(messageOf(JSON.parse(decodeUtf8(raw)) as JsonObject) as JsonObject);
  const isEmpty = typeof content === 'string' ? content.trim() === '' : !Array.isArray(content) || content.length === 0;
  return isEmpty ? undefined : encodeUtf8(JSON.stringify(content));
}

/** Thinking that the provider has encrypted is a block of its own in omp, and marked in pi. */
function blocksIn(raw: string, value: JsonObject, dialect: Dialect): DialectEntry {
  const content = messageOf(value)?.['content'];
  if (!Array.isArray(content)) return mapped(raw);
  const losses: (readonly [string, LossSeverity])[] = [];
  const changed = new Map<number, (text: string, open: number) => string | undefined>();
  content.forEach((block: unknown, index) => {
    if (!isObject(block)) return;
    if (dialect === 'omp') {
      if (block['type'] === 'thinking' && block['redacted'] === true && typeof block['thinkingSignature'] === 'string')
        changed.set(
          index,
          (text, open) => `{"type":"redactedThinking","data":${blockText(text, open, 'thinkingSignature')}}`,
        );
      return;
    }
    if (block['type'] === 'redactedThinking')
      changed.set(index, (text, open) => {
        const signature = blockText(text, open, 'data') ?? '""';
        return `{"type":"thinking","thinking":${REDACTED},"thinkingSignature":${signature},"redacted":true}`;
      });
    // pi ignores both; the first one is part of the context.
    if (block['type'] === 'anthropicServerTool') losses.push(['BLOCK_UNKNOWN', 'lossy']);
    if (block['type'] === 'fallback') losses.push(['BLOCK_UNKNOWN', 'info']);
  });
  if (changed.size === 0) return mapped(raw, ...losses);
  const message = findMember(raw, skipSpace(raw, 0), 'message')?.valueStart as number;
  const list = findMember(raw, message, 'content')?.valueStart as number;
  const splices: Splice[] = [];
  let index = 0;
  for (const { start, end } of arrayElements(raw, list)) {
    const text = changed.get(index++)?.(raw, start);
    if (text !== undefined) splices.push({ start, end, text });
  }
  return mapped(applySplices(raw, splices), ...losses);
}

/** A custom entry for one without a counterpart: the other agent ignores it, and its children keep their parent. */
function kept(
  raw: string,
  value: JsonObject,
  line: number,
  target: DialectOptions,
  theirs: Dialect,
  loss: DialectEntry['losses'][number],
): DialectEntry {
  const type = value['type'] === 'message' ? String(messageOf(value)?.['role']) : String(value['type']);
  const body = { customType: JSON.stringify(`${theirs}/${type}`), data: keptText(raw, line, target) };
  return { raw: entryText('custom', raw, body), outcome: 'custom', losses: [loss] };
}

/** The JSON that is kept of an entry, to restore it. */
function keptText(raw: string, line: number, { keep }: DialectOptions): string | undefined {
  if (keep === 'none') return undefined;
  const isWhole = keep === 'raw' || raw.length <= MOST_RAW;
  return isWhole ? `{"line":${line},"raw":${raw.trim()}}` : `{"line":${line}}`;
}

/** The original of an entry that was converted from this dialect, byte for byte; undefined for any other. */
function originalOf(raw: string, value: JsonObject, dialect: Dialect): string | undefined {
  const { type, customType, id, parentId } = value;
  if (typeof customType !== 'string' || !customType.startsWith(`${dialect}/`)) return undefined;
  const key = type === 'custom' ? 'data' : type === 'custom_message' ? 'details' : '';
  const holder = value[key];
  const original = isObject(holder) ? holder['raw'] : undefined;
  if (!isObject(original) || dialectOf(original) !== dialect) return undefined;
  if (original['id'] !== id || original['parentId'] !== parentId) return undefined;
  const open = findMember(raw, skipSpace(raw, 0), key)?.valueStart as number;
  return blockText(raw, open, 'raw');
}

/** An entry with the envelope of another one. */
function entryText(type: string, raw: string, body: Readonly<Record<string, string | undefined>>): string {
  const envelope = Object.fromEntries(['id', 'parentId', 'timestamp'].map((key) => [key, memberText(raw, key)]));
  const members = Object.entries({ type: JSON.stringify(type), ...envelope, ...body });
  return `{${members.flatMap(([key, text]) => (text === undefined ? [] : [`"${key}":${text}`])).join(',')}}`;
}

function memberText(raw: string, key: string): string | undefined {
  return blockText(raw, skipSpace(raw, 0), key);
}

/** The JSON of a member of the object that starts at `open`. */
function blockText(text: string, open: number, key: string): string | undefined {
  const member = findMember(text, open, key);
  return member && text.slice(member.valueStart, member.valueEnd);
}
