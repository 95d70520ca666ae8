/** What JSON.parse gives for an object: nothing is known about its members yet. */
export interface JsonObject {
  readonly [key: string]: unknown;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a text stands for; undefined where it is no JSON, for JSON itself has no such value. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The same for an object; undefined for anything else. */
export function parseObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/** As String() gives it; '' for what it throws on, such as {"toString":1}, which JSON can hold. */
export function stringText(value: unknown): string {
  try {
    return String(value);
  } catch {
    return '';
  }
}
