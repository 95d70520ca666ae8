import { isObject } from '../entries/json-value.ts';
import type { Format } from './format.ts';
import { isSessionTrace } from './native.ts';

export const aider: Format = {
  id: 'aider',
  title: 'an Aider chat history',
  noun: 'Aider chat history file',
  recognises: (start) => /^# aider chat started at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\s*$/.test(start.firstText),
};

export const atif: Format = {
  id: 'atif',
  title: 'an ATIF trajectory',
  noun: 'ATIF trajectory file',
  recognises: (start) => {
    const version = start.documentValue('schema_version');
    if (typeof version === 'string') return /^ATIF-v\d+\.\d+$/.test(version) && Array.isArray(start.documentValue('steps'));
    return start.document === undefined && start.documentHas('schema_version', 'agent', 'steps');
  },
};

export const openCode: Format = {
  id: 'opencode',
  title: 'an OpenCode session',
  noun: 'OpenCode session',
  recognises: (start) => {
    const { document } = start;
    if (!isObject(document)) return false;
    const info = document['info'];
    if (isObject(info) && typeof info['id'] === 'string' && info['id'].startsWith('ses') && Array.isArray(document['messages']))
      return true;
    const id = document['id'];
    if (typeof id !== 'string') return false;
    if (id.startsWith('ses') && Object.hasOwn(document, 'projectID') && isObject(document['time'])) return true;
    if (typeof document['sessionID'] !== 'string') return false;
    return typeof document['messageID'] === 'string' || (typeof document['role'] === 'string' && isObject(document['time']));
  },
};

export const goose: Format = {
  id: 'goose',
  title: 'a Goose session',
  noun: 'Goose session',
  recognises: (start) => {
    const { first } = start;
    if (Array.isArray(start.documentValue('conversation')) && typeof start.documentValue('working_dir') === 'string') return true;
    if (!first || Object.hasOwn(first, 'type') || Object.hasOwn(first, 'role') || !Object.hasOwn(first, 'message_count')) return false;
    return Object.hasOwn(first, 'description') || Object.hasOwn(first, 'working_dir');
  },
};

export const eventLog: Format = {
  id: 'event-log',
  title: 'an event log (seq, time and type in each record)',
  noun: 'event log',
  recognises: ({ first }) => {
    if (!first || typeof first['seq'] !== 'number') return false;
    if (Object.hasOwn(first, 'schema_version') && first['type'] === 'session_meta' && !Object.hasOwn(first, 'payload')) return true;
    return typeof first['sessionId'] === 'string' && Object.hasOwn(first, 'ts') && /^[a-z_]+(\.[a-z_]+)+$/.test(String(first['type']));
  },
};

export const droid: Format = {
  id: 'droid',
  title: 'a Factory Droid session',
  noun: 'Factory Droid session',
  recognises: ({ first }) => first?.['type'] === 'session_start' && typeof first['id'] === 'string' && typeof first['cwd'] === 'string',
};

export const sessionTrace: Format = {
  id: 'sts',
  title: 'a Hugging Face session trace',
  noun: 'Hugging Face session trace',
  recognises: ({ first }) => first !== undefined && isSessionTrace(first),
};
