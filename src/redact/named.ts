import type { Kind } from './kind.ts';

/** Names such as API_KEY and signingKey; not the keys of maps and caches. */
export const ACCESS_KEY =
  '(?:api|access|auth|private|secret|sign(?:ing)?|encrypt(?:ion)?|decrypt(?:ion)?|master|account|admin|licen[sc]e|client|deploy|webhook|jwt|hmac|subscription|consumer|app|application|service|server|integration)[_.-]?key';
/** In capitals every name that ends in _KEY, except for keys that are not secret. */
export const ENV_KEY = '(?<=[A-Z0-9])(?<!PUBLIC|CACHE|PRIMARY|FOREIGN|SORT|PARTITION|HOST|SESSION)_KEY';

const QUOTE = '(?:\\\\*["\'`])';
/** What may follow the word in a name. */
const TAIL = '(?:[_-]?(?:base|value|raw|prod|dev|live|staging|[0-9]{1,2}))?';
/** From a name to its value, in code, environment variables, YAML and JSON. */
const GIVES = `${TAIL}(?:${QUOTE}\\]?)?(?:[ \\t]{0,4}:[ \\t]{0,4}(?:string|str)(?= {0,4}=))?[ \\t]{0,8}(?:=>|:=|[:=])[ \\t]{0,8}`;

/**
 * The same for all words in the raw text of a line, up to a value that is long enough. The ends of secret, credential,
 * token and key are enough, and twice as fast in V8.
 */
export const NAME_HINT = new RegExp(
  `(?:pass(?:word|wd|phrase|code)?|pwd|cre(?:t|dential)|ke[ny])${TAIL}(?:${QUOTE}\\]?)?[ \\\\t]{0,16}(?:=>|:=|[:=])[ \\\\t]{0,16}(?:${QUOTE}(?:[^\\s"\\\\]|\\\\.){4}|[^\\s"'\`\\\\,{}[\\]()][^\\s"'\`\\\\]{3})`,
  'i',
);

/**
 * A name that ends in a word, and its value: quoted, or bare up to what ends a value in environment variables, YAML and
 * the query of a URL.
 */
export function assigned(
  id: string,
  word: string,
  accepts: (secret: string) => boolean,
  example: string,
  other: string,
  flags = 'i',
): Kind {
  const quoted = `${QUOTE}([^\\s"'\`\\\\]{4,4096})${QUOTE}`;
  const bare = `(?!=)([^\\s"'\`\\\\,;&|<>(){}[\\]$]{6,4096})(?![\\w([{$])`;
  return {
    id,
    hints: NAME_HINT,
    pattern: new RegExp(`(?:${word})${GIVES}(?:${quoted}|${bare})`, `g${flags}`),
    accepts: (secret, match) => accepts(secret) && (match?.[2] === undefined || isBareSecret(secret, match[0])),
    names: new RegExp(`(?:${word})${TAIL}$`, flags),
    example,
    other,
  };
}

/** Without quotes it may be code: environment variables have capitals and no spaces, other values have digits. */
function isBareSecret(secret: string, assignment: string): boolean {
  if (/^[A-Z0-9_]+=(?=\S)/.test(assignment)) return true;
  // "pass: 12" is a test result.
  if (/^\d+$/.test(secret)) return !/^pass\W/i.test(assignment);
  // A call, a member or a path.
  if (isCall(secret) || /^[\w$]+\.[A-Za-z_$]|^[./~]/.test(secret)) return false;
  return secret.length >= 8 && /\d/.test(secret) && /[A-Za-z]/.test(secret) && !/^[a-z]+\d{1,3}[A-Za-z]*$/.test(secret);
}

export function isCall(code: string): boolean {
  return /^[A-Za-z_$.]+[([]/.test(code);
}

/** Placeholders for a secret. */
const PLACEHOLDER =
  /^(?:(?:your|my|some|insert|enter|replace|example|sample|dummy|fake|change|put|add|test|new|old)[a-z_\s.-]{0,60}|none|null|nil|undefined|true|false|yes|no|string|number|boolean|object|unknown|never|void|any|required|optional|hidden|masked|redacted|removed|secret|token|password|passwd|pass|pwd|passphrase|credentials?|key|value|text|todo|user(?:name)?|admin|root|localhost|input|invalid|incorrect|missing|empty|default)$/i;
/** References to a value. */
const REFERENCE =
  /\u2026|\.\.\.|\*\*|[$%#]\(|[$#{]\{|^\{\w*\}$|^<.*>$|^\$\w+$|^%\w+%$|^[@#&][A-Za-z_.-]+$|^(?:process|os|env|secrets?|vars?|config|settings|self|this)\.|^https?:|^[./~]|^[~^v]?\d+(?:\.\d+)+/;
/** Only letters, as in names in code. */
const NAME_ONLY = /^[A-Za-z]+(?:[_.:/-][A-Za-z]+)*$/;

/** Not a placeholder: for secrets recognized by their context. */
export function isReal(secret: string): boolean {
  return !PLACEHOLDER.test(secret) && !REFERENCE.test(secret) && !/^(.)\1*$/s.test(secret);
}

/** A password may be a word, but not one about passwords. */
export function isPassword(secret: string): boolean {
  if (!isReal(secret) || secret.length < 4) return false;
  if (!NAME_ONLY.test(secret)) return true;
  return secret.length >= 8 && /^[A-Za-z]+$/.test(secret) && !/pass|secret|token|credential/i.test(secret);
}

/** Other secrets are random: they have digits and letters, and are not the name of a constant. */
export function isToken(secret: string): boolean {
  if (!isReal(secret) || secret.length < 10 || !/\d/.test(secret) || !/[A-Za-z]/.test(secret)) return false;
  return (
    !/^[A-Z]+\d{0,2}(?:_[A-Z0-9]+)+$/.test(secret) &&
    !/^_*[a-z]+(?:[_.:/-]?v?\d{1,3})?(?:[_.:/-](?:[a-z]+|\d{1,4}))*$/i.test(secret)
  );
}
