import { toJSONSchema } from 'zod/v4/core';
import { CONFIG_NAME } from './config.ts';
import { configSchema } from './config-schema.ts';

/** JSON Schema 2020-12 of the configuration file, for editors. */
export function configJsonSchema(): object {
  const { $schema, ...schema } = toJSONSchema(configSchema, { target: 'draft-2020-12', io: 'input' });
  return { $schema, title: CONFIG_NAME, description: "Settings of 'sessionctl validate' for a project", ...schema };
}
