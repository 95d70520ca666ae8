import { below, dataFolder } from '../folders.ts';
import { hasMembers, type LogFormat } from '../format.ts';

const VERSION = /^ATIF-v\d+\.\d+$/;
/** The same in the start of a document that is too long to be read whole. */
const VERSION_MEMBER = /"schema_version"\s*:\s*"ATIF-v\d+\.\d+"/;
const START = 4096;

/** Trajectories as Harbor defines them, versions 1.0 to 1.8: one JSON document. */
export const atif: LogFormat = {
  id: 'atif',
  title: 'an ATIF trajectory',
  noun: 'ATIF trajectory file',
  files: 'JSON documents, versions 1.0 to 1.8; 1.7 is written',
  extension: 'json',
  embeds: true,
  detect: (head) => {
    const { document } = head;
    if (document === undefined)
      return head.isDocument && VERSION_MEMBER.test(head.text.slice(0, START)) ? 'certain' : undefined;
    if (!hasMembers(document, { steps: 'array' })) return undefined;
    if (VERSION.test(String(document['schema_version']))) return 'certain';
    // Some programs write such variants.
    const isNamed = document['format'] === 'atif' || typeof document['schema_version'] === 'string';
    return isNamed && hasMembers(document, { agent: 'object' }) ? 'probable' : undefined;
  },
  // Devin's; others have no fixed folder.
  locations: (env) => below(dataFolder(env), 'devin/cli/transcripts'),
  isDocument: () => true,
  records: async function* (source, chunks, onDamage) {
    const { readDocument } = await import('../document.ts');
    yield* readDocument(source, chunks, 'steps', onDamage);
  },
  checks: async () => (await import('./checks.ts')).checks,
  toNative: async (...task) => (await import('./convert.ts')).toNative(atif, ...task),
  readings: 2,
  fromNative: async (...task) => (await import('./write.ts')).writeTrajectory(...task),
};
