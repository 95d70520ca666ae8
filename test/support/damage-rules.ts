/** Rules by which a line is damaged: what no reader takes for an entry. */
export const DAMAGE_RULES: ReadonlySet<string> = new Set([
  'torn-line',
  'glued-entries',
  'nul-bytes',
  'invalid-utf8',
  'byte-order-mark',
  'not-json',
  'not-an-object',
  'oversize-line',
]);
