/** The shapes of a session log, in all versions and dialects. */
export { type Block, block, content, knownBlocks } from './blocks/index.ts';
export { checkShape, type KnownVersion, type ShapeIssue, type ShapeKind } from './check.ts';
export { type Header, header } from './header.ts';
export { entrySchema, type JsonSchema, lineSchema, schemaTypes } from './json-schema.ts';
export { knownRoles, type Message, message, messageBeforeVersion3 } from './roles/index.ts';
export type { EntryType } from './shapes.ts';
export { type TitleSlot, titleSlot } from './title-slot.ts';
export { type Entry, type EntryOf, type EntryOfVersion1, entryTypes, knownEntryTypes } from './types/index.ts';
