/** The shapes of a session log, in all versions and dialects. */
export type { KnownVersion } from '../entry-type.ts';
export { checkShape, type ShapeIssue, type ShapeKind } from './check.ts';
export { entrySchema, type JsonSchema, lineSchema, schemaTypes } from './json-schema.ts';
