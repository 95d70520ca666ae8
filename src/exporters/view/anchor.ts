const LONGEST = 100;

/** The name of an entry's place in an export, from its id alone, so that a link stays good when the session grows. */
export function anchorOf(id: string): string {
  const safe = /^[\w-]*$/.test(id) ? id : Array.from(id, encoded).join('');
  return `e-${safe.length <= LONGEST ? safe : `${safe.slice(0, LONGEST)}.${checksum(id)}`}`;
}

function encoded(character: string): string {
  return /^[\w-]$/.test(character) ? character : `.${(character.codePointAt(0) ?? 0).toString(16)}.`;
}

/** FNV-1a; only to distinguish long ids with the same beginning. */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
}
