/** A strict reader for the XML that we write: throws at anything that is not well-formed XML 1.0 (no DTD, no CDATA). */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

const NAME = /[A-Za-z_][\w.:-]*/y;
const LEGAL = /^(?:[\t\n\r\u0020-\ud7ff\ue000-\ufffd]|[\u{10000}-\u{10ffff}])*$/u;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

export function parseXml(source: string): XmlElement {
  if (!LEGAL.test(source)) throw new Error('a character that XML cannot hold');
  const declaration = /^<\?xml version="1\.0" encoding="UTF-8"\?>\n/.exec(source);
  if (!declaration) throw new Error('no XML declaration');
  const reader = new Reader(source, declaration[0].length);
  const root = reader.element();
  if (source.slice(reader.at).trim() !== '') throw new Error(`text after the root element at ${reader.at}`);
  return root;
}

class Reader {
  readonly source: string;
  at: number;

  constructor(source: string, at: number) {
    this.source = source;
    this.at = at;
  }

  element(): XmlElement {
    this.#expect('<');
    const name = this.#name();
    const attributes: Record<string, string> = {};
    while (this.source[this.at] === ' ') {
      this.at++;
      const key = this.#name();
      this.#expect('="');
      const end = this.source.indexOf('"', this.at);
      if (end < 0) throw new Error('an attribute without an end');
      if (key in attributes) throw new Error(`attribute ${key} twice`);
      const raw = this.source.slice(this.at, end);
      if (/[\t\n\r]/.test(raw)) throw new Error('white space in an attribute that a parser would change');
      attributes[key] = decoded(raw);
      this.at = end + 1;
    }
    if (this.source.startsWith('/>', this.at)) {
      this.at += 2;
      return { name, attributes, children: [], text: '' };
    }
    this.#expect('>');
    const children: XmlElement[] = [];
    let text = '';
    for (;;) {
      const next = this.source.indexOf('<', this.at);
      if (next < 0) throw new Error(`element ${name} without an end`);
      text += decoded(this.source.slice(this.at, next));
      this.at = next;
      if (this.source.startsWith('</', next)) break;
      children.push(this.element());
    }
    this.#expect(`</${name}>`);
    return { name, attributes, children, text };
  }

  #name(): string {
    NAME.lastIndex = this.at;
    const name = NAME.exec(this.source)?.[0];
    if (name === undefined) throw new Error(`no name at ${this.at}`);
    this.at += name.length;
    return name;
  }

  #expect(text: string): void {
    if (!this.source.startsWith(text, this.at)) throw new Error(`expected ${text} at ${this.at}`);
    this.at += text.length;
  }
}

function decoded(raw: string): string {
  if (raw.includes('<') || raw.includes(']]>')) throw new Error('markup in text');
  return raw.replace(/&([^;]*);?/g, (whole, name: string) => {
    const code = /^#x([0-9a-f]+)$/.exec(name)?.[1];
    const character = code === undefined ? ENTITIES[name] : String.fromCodePoint(Number.parseInt(code, 16));
    if (character === undefined || !whole.endsWith(';') || !LEGAL.test(character))
      throw new Error(`bad reference ${whole}`);
    return character;
  });
}
