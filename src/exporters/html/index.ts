import type { ExportFormat } from '../exporter.ts';

/** Loaded when it is asked for: its reader of Markdown takes longer to load than a short log to export. */
export const htmlFormat: ExportFormat = {
  name: 'html',
  endings: ['.html', '.htm'],
  make: async (options) => (await import('./html-exporter.ts')).htmlExporter(options),
};
