import { Texts } from './texts.ts';

type Put = (value: object) => void;

const CWD = '/home/ada/project';
const START = Date.parse('2026-01-05T08:00:00.000Z');

/** Times and numbers that go on with every record. */
class Clock {
  #time = START;
  #count = 0;
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  next(): string {
    this.#time += 5 + Math.floor(this.#random() * 4000);
    return new Date(this.#time).toISOString();
  }

  get milliseconds(): number {
    return this.#time;
  }

  number(): string {
    return String(++this.#count).padStart(20, '0');
  }
}

/** What tools give: mostly little, now and then a file or the output of a build. */
function resultOf(texts: Texts, random: () => number): string {
  return random() < 0.6 ? texts.slice(200, 4000) : texts.slice(3000, 20_000);
}

/** A log of Claude Code: each block of an answer is a record, and a result is there twice. */
export class ClaudeMaker {
  readonly #random: () => number;
  readonly #put: Put;
  readonly #texts: Texts;
  readonly #clock: Clock;
  readonly #sessionId: string;
  #leaf: string | null = null;
  #prompt = '';

  constructor(random: () => number, put: Put) {
    this.#random = random;
    this.#put = put;
    this.#texts = new Texts(random);
    this.#clock = new Clock(random);
    this.#sessionId = this.#texts.uuid();
  }

  header(): void {
    this.#beside('mode', { mode: 'normal' });
  }

  turn(): void {
    const text = this.#texts.slice(40, 600);
    this.#prompt = this.#texts.uuid();
    this.#beside('queue-operation', { operation: 'enqueue', timestamp: this.#clock.next(), content: text });
    this.#inTree({ promptId: this.#prompt, type: 'user', message: { role: 'user', content: text } });
    this.#attachment('todo_reminder', { content: this.#texts.slice(100, 800), itemCount: 3 });
    if (this.#random() < 0.1) this.#attachment('prompt_snapshot', { systemPrompt: [this.#texts.slice(5000, 12_000)] });
    const rounds = 1 + Math.floor(this.#random() * 8);
    for (let round = 0; round < rounds; round++) this.#round();
    this.#answer([{ type: 'text', text: this.#texts.slice(80, 1500) }], 'end_turn');
    this.#beside('last-prompt', { lastPrompt: text, leafUuid: this.#leaf });
  }

  end(): void {
    this.#beside('tools-used', { tools: ['Bash', 'Read'] });
  }

  #round(): void {
    const isRead = this.#random() < 0.4;
    const calls = Array.from({ length: this.#random() < 0.2 ? 2 : 1 }, () => `toolu_${this.#clock.number()}`);
    const signature = this.#texts.base64.slice(0, 300);
    const input = isRead
      ? { file_path: `${CWD}/src/${this.#texts.hex(8)}.js` }
      : { command: this.#texts.slice(20, 400), description: 'run a command' };
    const blocks = calls.map((id) => ({ type: 'tool_use', id, name: isRead ? 'Read' : 'Bash', input }));
    const thinking =
      this.#random() < 0.4 ? [{ type: 'thinking', thinking: this.#texts.slice(80, 900), signature }] : [];
    const said = this.#random() < 0.4 ? [{ type: 'text', text: this.#texts.slice(40, 400) }] : [];
    this.#answer([...thinking, ...said, ...blocks], 'tool_use');
    for (const id of calls) this.#result(id, isRead);
  }

  #result(id: string, isRead: boolean): void {
    const content = resultOf(this.#texts, this.#random);
    const source = this.#leaf;
    const file = { filePath: `${CWD}/src/app.js`, content, numLines: 30, startLine: 1, totalLines: 30 };
    const bash = { stdout: content, stderr: '', interrupted: false, isImage: false, noOutputExpected: false };
    this.#inTree({
      promptId: this.#prompt,
      type: 'user',
      message: { role: 'user', content: [{ tool_use_id: id, type: 'tool_result', content, is_error: false }] },
      toolUseResult: isRead ? { type: 'text', file } : bash,
      sandboxed: false,
      sourceToolAssistantUUID: source,
      permissionDecision: { decision: 'accept', source: 'config', reasonType: 'mode' },
    });
  }

  #answer(blocks: readonly object[], stopReason: string): void {
    const requestRef = this.#texts.uuid();
    this.#beside('api-request', {
      ...{ id: requestRef, timestamp: this.#clock.next(), version: '2.1.325', querySource: 'sdk' },
      ...{ shapeHash: this.#texts.hex(64), keep: 2, tail: [this.#texts.hex(64), this.#texts.hex(64)] },
      params: {
        model: 'claude-opus-5-5',
        betas: ['effort-2025-11-24'],
        max_tokens: 128_000,
        thinking: { type: 'adaptive' },
      },
      cacheControl: [{ path: ['system', 0], value: { type: 'ephemeral' } }],
    });
    const id = `msg_${this.#clock.number()}`;
    const requestId = `req_${id.slice(4)}`;
    const usage = {
      ...{ input_tokens: Math.floor(this.#random() * 2000), cache_creation_input_tokens: 20 },
      ...{ cache_read_input_tokens: Math.floor(this.#random() * 90_000), output_tokens: 42 },
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
      service_tier: 'standard',
      cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
    };
    for (const [at, block] of blocks.entries()) {
      const stop = { stop_reason: stopReason, stop_sequence: null, usage, stop_details: null };
      const about = { apiBlockIndex: at, requestId, requestRef, requestedModel: 'claude-opus-5-5' };
      this.#inTree({
        message: { id, type: 'message', role: 'assistant', model: 'claude-opus-5-5', content: [block], ...stop },
        ...about,
        ...{
          promptCacheRequested: '5m',
          type: 'assistant',
          effort: 'medium',
          perTurnEffort: 'medium',
          madeBy: 'model',
        },
      });
    }
  }

  #attachment(type: string, about: object): void {
    const text = `<system-reminder>\n${this.#texts.slice(100, 1500)}\n</system-reminder>`;
    const rendered = type === 'prompt_snapshot' ? {} : { rendered: [{ content: text }], renderedRole: 'system' };
    this.#inTree({ attachment: { type, ...about }, type: 'attachment', ...rendered });
  }

  #inTree(record: object): void {
    const uuid = this.#texts.uuid();
    this.#put({
      ...{ parentUuid: this.#leaf, isSidechain: false, ...record, uuid, timestamp: this.#clock.next() },
      ...{ userType: 'external', entrypoint: 'sdk-cli', cwd: CWD, sessionId: this.#sessionId },
      ...{ version: '2.1.325', gitBranch: 'main' },
    });
    this.#leaf = uuid;
  }

  #beside(type: string, record: object): void {
    this.#put({ type, ...record, sessionId: this.#sessionId });
  }
}

/** A Codex rollout: events repeat what the transcript has. */
export class CodexMaker {
  readonly #random: () => number;
  readonly #put: Put;
  readonly #texts: Texts;
  readonly #clock: Clock;
  readonly #threadId: string;
  #ordinal = 0;
  #turnId = '';

  constructor(random: () => number, put: Put) {
    this.#random = random;
    this.#put = put;
    this.#texts = new Texts(random);
    this.#clock = new Clock(random);
    this.#threadId = this.#texts.uuid();
  }

  header(): void {
    this.#record('session_meta', {
      ...{ session_id: this.#threadId, id: this.#threadId, timestamp: this.#clock.next(), cwd: CWD },
      ...{ originator: 'codex_exec', cli_version: '0.166.0', source: 'exec', model_provider: 'openai' },
      base_instructions: { text: this.#texts.slice(8000, 16_000) },
    });
  }

  turn(): void {
    this.#turnId = this.#texts.uuid();
    this.#record('event_msg', { type: 'task_started', turn_id: this.#turnId, model_context_window: 258_400 });
    const settings = { model: 'gpt-5.5', reasoning_effort: 'medium', developer_instructions: null };
    this.#record('turn_context', {
      ...{ turn_id: this.#turnId, cwd: CWD, approval_policy: 'never', sandbox_policy: { type: 'danger-full-access' } },
      ...{ model: 'gpt-5.5', collaboration_mode: { mode: 'default', settings }, effort: 'medium', summary: 'none' },
    });
    const text = this.#texts.slice(40, 600);
    this.#message('user', 'input_text', text);
    this.#completed({
      type: 'UserMessage',
      id: this.#texts.uuid(),
      content: [{ type: 'text', text, text_elements: [] }],
    });
    const rounds = 1 + Math.floor(this.#random() * 8);
    for (let round = 0; round < rounds; round++) this.#round();
    const answer = this.#texts.slice(80, 1500);
    this.#spoken(answer);
    this.#usage();
    const ended = { turn_id: this.#turnId, last_agent_message: answer, duration_ms: 703 };
    this.#record('event_msg', { type: 'task_complete', ...ended });
  }

  end(): void {
    this.#turnId = '';
  }

  #round(): void {
    if (this.#random() < 0.5) {
      const [id, text] = [`rs_${this.#clock.number()}`, this.#texts.slice(60, 600)];
      this.#completed({ type: 'Reasoning', id, summary_text: [text], raw_content: [] });
      const summary = [{ type: 'summary_text', text }];
      this.#item({
        type: 'reasoning',
        id,
        summary,
        content: null,
        encrypted_content: this.#texts.base64.slice(0, 3000),
      });
    }
    if (this.#random() < 0.3) this.#spoken(this.#texts.slice(40, 400));
    const calls = Array.from({ length: this.#random() < 0.2 ? 2 : 1 }, () => this.#clock.number());
    const cmd = this.#texts.slice(20, 400);
    for (const call of calls) {
      const args = JSON.stringify({ cmd, workdir: CWD, yield_time_ms: 1000 });
      const ids = { id: `fc_${call}`, call_id: `call_${call}` };
      this.#item({ type: 'function_call', status: 'completed', name: 'exec_command', arguments: args, ...ids });
    }
    this.#usage();
    for (const call of calls) this.#result(`call_${call}`, cmd);
  }

  #result(call: string, cmd: string): void {
    const output = resultOf(this.#texts, this.#random);
    const command = ['/bin/bash', '-lc', cmd];
    this.#completed({
      ...{ type: 'CommandExecution', id: call, process_id: '68566', command, cwd: `file://${CWD}` },
      ...{ parsed_cmd: [{ type: 'unknown', cmd }], source: 'unified_exec_startup', status: 'completed' },
      ...{ aggregated_output: output, exit_code: 0, duration: { secs: 0, nanos: 6079 } },
    });
    const head = `Chunk ID: ${this.#texts.hex(6)}\nWall time: 0.0000 seconds\nProcess exited with code 0\nOutput:\n`;
    const id = `fco_${this.#texts.uuid()}`;
    this.#item({ type: 'function_call_output', id, call_id: call, output: head + output });
  }

  #spoken(text: string): void {
    this.#completed({ type: 'AgentMessage', id: `msg_${this.#clock.number()}`, content: [{ type: 'Text', text }] });
    this.#message('assistant', 'output_text', text);
  }

  #message(role: string, type: string, text: string): void {
    this.#item({ type: 'message', id: `msg_${this.#texts.uuid()}`, role, content: [{ type, text }] });
  }

  #usage(): void {
    const input = Math.floor(this.#random() * 90_000);
    const usage = { input_tokens: input, cached_input_tokens: 10, output_tokens: 42, total_tokens: input + 42 };
    const ids = { thread_id: this.#threadId, turn_id: this.#turnId, response_id: `resp_${this.#clock.number()}` };
    this.#record('token_usage_record', { ...ids, usage, turn_token_usage: usage, thread_token_usage: usage });
    const info = { total_token_usage: usage, last_token_usage: usage, model_context_window: 258_400 };
    this.#record('event_msg', { type: 'token_count', info, rate_limits: null });
  }

  #item(item: object): void {
    const internal = { turn_id: this.#turnId, create_time: this.#clock.milliseconds / 1000 };
    this.#record('response_item', { ...item, internal_chat_message_metadata_passthrough: internal });
  }

  #completed(item: object): void {
    const ids = { type: 'item_completed', thread_id: this.#threadId, turn_id: this.#turnId };
    const times = { started_at_ms: this.#clock.milliseconds, completed_at_ms: this.#clock.milliseconds };
    this.#record('event_msg', { ...ids, item, ...times });
  }

  #record(type: string, payload: object): void {
    this.#put({ timestamp: this.#clock.next(), ordinal: this.#ordinal++, type, payload });
  }
}
