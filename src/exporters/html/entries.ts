import type { Image, TranscriptFacts } from '../exporter.ts';

/** Large enough that a page of many entries has few of these elements. */
const PIECE = 64 * 1024;

/**
 * The entries of the log as text in inert elements, for the script to save: each with its place there, its
 * bytes unchanged. They are not compressed: what zlib makes of them depends on the machine.
 */
export class EntryTexts {
  #lines = '';

  get isFull(): boolean {
    return this.#lines.length > PIECE;
  }

  /** Images that the page shows are in it once: no valid JSON has a tab after a quote and then a number. */
  add(place: number, text: string, images: readonly Image[]): void {
    let line = text;
    for (const { number, url = '' } of images) line = line.replace(`"${dataOf(url)}"`, `"\t${number}"`);
    this.#lines += `${place} ${inertText(line)}\n`;
  }

  take(): string {
    const text = this.#lines === '' ? '' : `<template>${this.#lines}</template>\n`;
    this.#lines = '';
    return text;
  }
}

/** The header of the log that the script saves, and what its button says. */
export function logHeader({ entries }: TranscriptFacts): string {
  if (!entries || entries === 'too large') return '';
  const what = entries.isConverted ? ', converted to one of pi' : '';
  return `<template id="log" data-title="Save the branch as a session log${what}">${inertText(entries.header)}</template>\n`;
}

/** Text of an element: nothing in it is a tag, and no character is read as another. */
function inertText(text: string): string {
  return text.replace(/[&<\r]/g, (mark) => (mark === '&' ? '&amp;' : mark === '<' ? '&lt;' : '&#13;'));
}

function dataOf(url: string): string {
  return url.slice(url.indexOf(',') + 1);
}
