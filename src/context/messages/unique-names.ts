/** A name in the characters that every provider takes. */
export function plainName(name: string, longest: number): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, longest);
}

/**
 * Names for tool calls: the log's id where a provider takes it, with other characters replaced; an id that was given
 * before gets a number behind it, because the logs repeat ids and the providers do not take that.
 */
export class UniqueNames {
  readonly #longest: number;
  readonly #given = new Set<string>();
  readonly #lastNumber = new Map<string, number>();

  constructor(longest: number) {
    this.#longest = longest;
  }

  for(id: string): string {
    const plain = plainName(id, this.#longest) || 'call';
    let name = plain;
    let number = this.#lastNumber.get(plain) ?? 1;
    while (this.#given.has(name)) {
      number++;
      const ending = `_${number}`;
      name = `${plain.slice(0, this.#longest - ending.length)}${ending}`;
    }
    if (number > 1) this.#lastNumber.set(plain, number);
    this.#given.add(name);
    return name;
  }
}
