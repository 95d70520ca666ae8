import { stringOf } from '../../entries/entry-type.ts';
import { defined, type JsonObject } from '../../json/value.ts';
import { type KeptRecord, keptRecord } from '../kept.ts';
import type { NativeWriter, Place } from '../native-writer.ts';
import { memberOf, pathOf } from './event.ts';

/** An event with its type in the canonical spelling. */
export interface Event {
  readonly type: string;
  readonly value: JsonObject;
  readonly place: Place;
}

interface EventCall {
  readonly name: string;
  readonly line: number;
  /** Its end, until that is written. */
  finished?: Event | undefined;
  hasEnded?: boolean;
  /** The first event with what the model sees of it. */
  observation?: JsonObject;
  /** Who did not allow it. */
  denied?: string;
  isAnswered?: boolean;
}

/** The calls of a log and their results: the end of a call and what the model sees of it are separate events. */
export class EventCalls {
  readonly #writer: NativeWriter;
  readonly #artifact: (ref: string) => Promise<string | undefined>;
  readonly #calls = new Map<string, EventCall>();
  /** The call that an event or a group of events is about. */
  readonly #callOf = new Map<string, string>();

  constructor(writer: NativeWriter, artifact: (ref: string) => Promise<string | undefined>) {
    this.#writer = writer;
    this.#artifact = artifact;
  }

  /** The call that an event is about, by its own id, by its group or by its cause. */
  idFor(event: JsonObject): string | undefined {
    const own = stringOf(memberOf(event, 'toolCallId'));
    if (own !== '') return own;
    return this.#callOf.get(stringOf(event['correlationId'])) ?? this.#callOf.get(stringOf(event['causationId']));
  }

  learn(type: string, event: JsonObject, eventId: string): void {
    const id = this.idFor(event);
    if (id === undefined) return;
    this.#callOf.set(eventId, id);
    const group = stringOf(event['correlationId']);
    if (type === 'tool.intent.created' && group !== '') this.#callOf.set(group, id);
  }

  /** False for one that is known. */
  add(id: string, name: string, line: number): boolean {
    if (this.#calls.has(id)) return false;
    this.#calls.set(id, { name, line });
    return true;
  }

  named(id: string, event: JsonObject): EventCall {
    const name = stringOf(memberOf(event, 'toolName')) || 'unknown';
    const call = this.#calls.get(id) ?? { name, line: 0 };
    this.#calls.set(id, call);
    return call;
  }

  /** Registers an event that is written later. */
  register(event: Event): void {
    const id = this.idFor(event.value);
    if (id === undefined) return;
    const call = this.named(id, event.value);
    if (event.type === 'observation.projected') call.observation ??= event.value;
    else if (!call.hasEnded) {
      // An end after the observation is not part of the result.
      if (!call.observation) call.finished = event;
      call.hasEnded = true;
    }
  }

  /**
   * The end of a tool: true where it is part of a result. Where the log continues without an observation, the model has
   * seen the artifact of the event.
   */
  async ended(id: string, event: Event, goesOn: boolean): Promise<boolean> {
    const call = this.named(id, event.value);
    if (call.finished !== event) return false;
    if (call.observation) return true;
    call.finished = undefined;
    const ref = stringOf(memberOf(event.value, 'observationRef'));
    const text = goesOn && ref !== '' ? await this.#artifact(ref) : undefined;
    if (text === undefined) {
      if (ref !== '' && goesOn) this.#writer.loss('ARTIFACT_MISSING', 'lossy', event.place.line);
      return false;
    }
    this.#result(id, call, text, event, event, [keptRecord(event.value, event.place.line)]);
    this.#writer.count('mapped');
    return true;
  }

  /** Writes what the model sees of a call; false where the call has a result already. */
  async observed(id: string, event: Event): Promise<boolean> {
    const call = this.named(id, event.value);
    const { value, place } = event;
    if (call.isAnswered) {
      this.#writer.loss('DUP_RESULT', 'lossy', place.line, id);
      return false;
    }
    const { finished } = call;
    call.finished = undefined;
    const own = memberOf(value, 'text');
    const isOwn = typeof own === 'string' && own !== '';
    const kept = keptRecord(value, place.line, ...(isOwn ? pathOf(value, 'text') : []));
    const text = typeof own === 'string' ? own : await this.#textOf(value, finished?.value, place);
    const end = finished ? [keptRecord(finished.value, finished.place.line)] : [];
    this.#result(id, call, text, finished, event, [...end, kept]);
    this.#writer.count('mapped');
    if (finished) this.#writer.count('merged');
    return true;
  }

  /** The text of an artifact, or a note in its place. */
  async #textOf(observation: JsonObject, finished: JsonObject | undefined, place: Place): Promise<string> {
    const refs = [observation, finished ?? {}].flatMap((event) =>
      ['observationRef', 'artifactRef', 'ref'].map((member) => stringOf(memberOf(event, member))),
    );
    const ref = refs.find((one) => one !== '');
    const text = ref === undefined ? undefined : await this.#artifact(ref);
    if (text !== undefined) return text;
    this.#writer.loss('ARTIFACT_MISSING', 'lossy', place.line, ref);
    return ref === undefined ? '' : `[not in the log: ${ref}]`;
  }

  #result(
    id: string,
    call: EventCall,
    text: string,
    finished: Event | undefined,
    { value, place }: Event,
    records: readonly KeptRecord[],
  ): void {
    if (call.line === 0) this.#writer.loss('ORPHAN_RESULT', 'lossy', place.line, id);
    call.isAnswered = true;
    const end = finished ? endOf(finished.value) : {};
    const entry = this.#writer.message(
      {
        role: 'toolResult',
        toolCallId: id,
        toolName: call.name,
        content: text === '' ? [] : [{ type: 'text', text }],
        isError: finished ? end.status !== 'ok' : call.denied !== undefined || memberOf(value, 'isError') === true,
        details: {
          ...end,
          ...(end.status === 'cancelled' ? { interrupted: true } : {}),
          ...(end.status === 'timeout' ? { timedOut: true } : {}),
          ...(call.denied !== undefined && !finished ? { toolDenialKind: call.denied } : {}),
        },
      },
      place,
    );
    this.#writer.extra(entry, { records }, place);
  }

  end(): void {
    for (const [id, { line, isAnswered, hasEnded, denied }] of this.#calls)
      if (!isAnswered && !hasEnded && denied === undefined) this.#writer.loss('PENDING_CALL', 'info', line, id);
  }
}

/** The members of an event that say how a tool ended. */
export function endOf(event: JsonObject): { readonly status?: unknown; readonly exitCode?: unknown } {
  const keys = ['status', 'exitCode', 'artifactRefs', 'sideEffect'];
  return defined(Object.fromEntries(keys.map((key) => [key, memberOf(event, key)])));
}
