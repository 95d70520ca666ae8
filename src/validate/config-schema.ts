import * as z from 'zod/mini';
import { REPORTER_NAMES } from '../reporters/index.ts';
import { rules } from '../rules/index.ts';
import { AppError } from '../util/errors.ts';
import { didYouMean } from '../util/words.ts';

const level = z.enum(['error', 'warning', 'off']);
const text = z.string().check(z.minLength(1));
const format = text.check(z.regex(new RegExp(`^(?:${REPORTER_NAMES.join('|')})(?:=.+)?$`)));

export const configSchema = z.strictObject({
  $schema: z.optional(z.string()),
  rules: z
    .optional(z.strictObject(Object.fromEntries(rules.map(({ id }) => [id, z.optional(level)]))))
    .check(z.describe('The levels of rules that differ from those they have')),
  ignore: z
    .optional(z.array(text))
    .check(z.describe('Globs of files and folders that are not checked, from the folder of this file')),
  formats: z
    .optional(z.array(format))
    .check(z.describe('The reports to write, each FORMAT or FORMAT=FILE, where --format is not given')),
  blobs: z.optional(text).check(z.describe('The blob store to check references against')),
  maxWarnings: z
    .optional(z.int().check(z.nonnegative()))
    .check(z.describe('With more warnings than this the exit code is 1')),
  suppressions: z.optional(text).check(z.describe('The file of known findings, which are not reported')),
});

type ConfigFile = z.infer<typeof configSchema>;

/** The content of a configuration file; the first thing that is wrong with it is thrown. */
export function checkConfig(path: string, json: unknown): ConfigFile {
  const { data, error } = configSchema.safeParse(json);
  if (data) return data;
  throw new AppError(`${path}: ${problemOf(error.issues[0] as z.core.$ZodIssue)}`);
}

function problemOf(issue: z.core.$ZodIssue): string {
  const place = issue.path.map(String);
  const named = `'${place.join('.')}'`;
  switch (issue.code) {
    case 'unrecognized_keys': {
      const [key = ''] = issue.keys;
      if (place.length > 0)
        return `unknown rule '${key}'${didYouMean(
          key,
          rules.map(({ id }) => id),
        )}`;
      return `unknown key '${key}'${didYouMean(key, Object.keys(configSchema.shape))}`;
    }
    case 'invalid_type': {
      const type = issue.expected === 'int' ? 'number' : issue.expected;
      return place.length === 0 ? 'must be an object' : `${named} must be ${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`;
    }
    case 'invalid_value':
      return `${named} must be one of ${issue.values.join(', ')}`;
    case 'invalid_format':
      return `${named} must be one of ${REPORTER_NAMES.join(', ')}, maybe with =FILE behind it`;
    default:
      return `${named}: ${issue.message}`;
  }
}
