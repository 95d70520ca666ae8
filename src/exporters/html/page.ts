import { createHash } from 'node:crypto';
import { escapeHtml, visible } from '../text.ts';

interface PageParts {
  /** As HTML. */
  readonly title: string;
  readonly style: string;
  readonly script: string;
  /** Where images may come from. */
  readonly images: string;
}

/** A page up to its body. Its policy lets nothing run or load but what is named here. */
export function pageStart({ title, style, script, images }: PageParts): string {
  const policy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; img-src ${images}; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
}

/** Text of the log, with its control characters made visible. */
export function shown(text: string): string {
  return escapeHtml(visible(text));
}
