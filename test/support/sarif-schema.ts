/**
 * The part of SARIF 2.1.0 that we write, as a JSON Schema of our own: the standard's required properties, types, limits
 * and choices of words, and no property beside those that the standard knows and we use.
 */
const text = { type: 'string' } as const;
const bag = { type: 'object' } as const;
const level = { enum: ['none', 'note', 'warning', 'error'] } as const;

function strict(required: readonly string[], properties: Readonly<Record<string, object>>): object {
  return { type: 'object', required, properties, additionalProperties: false };
}

const message = strict(['text'], { text });
const location = strict([], {
  physicalLocation: strict(['artifactLocation'], {
    artifactLocation: strict([], { uri: { type: 'string', format: 'uri-reference', minLength: 1 } }),
    region: strict([], { startLine: { type: 'integer', minimum: 1 } }),
  }),
});

export const SARIF_SCHEMA: object = strict(['version', 'runs'], {
  $schema: { type: 'string', format: 'uri' },
  version: { const: '2.1.0' },
  runs: {
    type: 'array',
    items: strict(['tool'], {
      tool: strict(['driver'], {
        driver: strict(['name'], {
          name: text,
          version: text,
          semanticVersion: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+' },
          rules: {
            type: 'array',
            uniqueItems: true,
            items: strict(['id'], {
              id: text,
              name: text,
              shortDescription: message,
              fullDescription: message,
              help: message,
              defaultConfiguration: strict([], { enabled: { type: 'boolean' }, level }),
            }),
          },
        }),
      }),
      columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
      results: {
        type: 'array',
        items: strict(['message'], {
          ruleId: text,
          ruleIndex: { type: 'integer', minimum: -1 },
          level,
          message,
          locations: { type: 'array', items: location },
          properties: bag,
        }),
      },
      invocations: {
        type: 'array',
        items: strict(['executionSuccessful'], {
          executionSuccessful: { type: 'boolean' },
          toolExecutionNotifications: {
            type: 'array',
            items: strict(['message'], { level, message, locations: { type: 'array', items: location, uniqueItems: true } }),
          },
        }),
      },
      properties: bag,
    }),
  },
});
