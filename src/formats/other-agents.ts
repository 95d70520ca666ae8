import { isObject } from '../json/value.ts';
import type { LogFormat } from './format.ts';
import { isSessionTrace } from './native/native.ts';

export const aider: LogFormat = {
  id: 'aider',
  title: 'an Aider chat history',
  noun: 'Aider chat history file',
  detect: (head) => /^# aider chat started at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\s*$/.test(head.firstText),
};

export const atif: LogFormat = {
  id: 'atif',
  title: 'an ATIF trajectory',
  noun: 'ATIF trajectory file',
  detect: (head) => {
    const version = head.documentValue('schema_version');
    if (typeof version === 'string')
      return /^ATIF-v\d+\.\d+$/.test(version) && Array.isArray(head.documentValue('steps'));
    return head.document === undefined && head.documentHas('schema_version', 'agent', 'steps');
  },
};

export const openCode: LogFormat = {
  id: 'opencode',
  title: 'an OpenCode session',
  noun: 'OpenCode session',
  detect: (head) => {
    const { document } = head;
    if (!isObject(document)) return false;
    const info = document['info'];
    if (
      isObject(info) &&
      typeof info['id'] === 'string' &&
      info['id'].startsWith('ses') &&
      Array.isArray(document['messages'])
    )
      return true;
    const id = document['id'];
    if (typeof id !== 'string') return false;
    if (id.startsWith('ses') && Object.hasOwn(document, 'projectID') && isObject(document['time'])) return true;
    if (typeof document['sessionID'] !== 'string') return false;
    return (
      typeof document['messageID'] === 'string' || (typeof document['role'] === 'string' && isObject(document['time']))
    );
  },
};

export const goose: LogFormat = {
  id: 'goose',
  title: 'a Goose session',
  noun: 'Goose session',
  detect: (head) => {
    const { first } = head;
    if (Array.isArray(head.documentValue('conversation')) && typeof head.documentValue('working_dir') === 'string')
      return true;
    if (
      !first ||
      Object.hasOwn(first, 'type') ||
      Object.hasOwn(first, 'role') ||
      !Object.hasOwn(first, 'message_count')
    )
      return false;
    return Object.hasOwn(first, 'description') || Object.hasOwn(first, 'working_dir');
  },
};

export const eventLog: LogFormat = {
  id: 'event-log',
  title: 'an event log (seq, time and type in each record)',
  noun: 'event log',
  detect: ({ first }) => {
    if (!first || typeof first['seq'] !== 'number') return false;
    if (Object.hasOwn(first, 'schema_version') && first['type'] === 'session_meta' && !Object.hasOwn(first, 'payload'))
      return true;
    return (
      typeof first['sessionId'] === 'string' &&
      Object.hasOwn(first, 'ts') &&
      /^[a-z_]+(\.[a-z_]+)+$/.test(String(first['type']))
    );
  },
};

export const droid: LogFormat = {
  id: 'droid',
  title: 'a Factory Droid session',
  noun: 'Factory Droid session',
  detect: ({ first }) =>
    first?.['type'] === 'session_start' && typeof first['id'] === 'string' && typeof first['cwd'] === 'string',
};

export const sessionTrace: LogFormat = {
  id: 'sts',
  title: 'a Hugging Face session trace',
  noun: 'Hugging Face session trace',
  detect: ({ first }) => first !== undefined && isSessionTrace(first),
};
