import type { ExportFormat } from './exporter.ts';
import { htmlFormat } from './html/index.ts';
import { markdownFormat } from './markdown/index.ts';

/** Every format that a session can be exported to. One line per format. */
export const exportFormats: readonly ExportFormat[] = [markdownFormat, htmlFormat];
