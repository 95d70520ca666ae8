import { type EntryType, modelName, stringOf } from '../entry-type.ts';
/** Seed 004 and omp write `model: "provider/id"`, pi `provider` and `modelId`, seed 000 `model` without a provider. */
export const modelChange: EntryType = {
  name: 'model_change',
  fields: ({ string, boolean, optional, words }) => ({
    model: optional(string),
    // Any word; the agents know these.
    role: optional(words('default', 'fallback', 'temporary', 'smol', 'slow', 'plan')),
    resolvedModelIsFallback: optional(boolean),
    provider: optional(string),
    modelId: optional(string),
  }),
  oneOf: () => [['model'], ['provider', 'modelId']],
  dialect: ({ model, provider, modelId }) => {
    if (typeof modelId === 'string' && typeof provider === 'string') return 'pi';
    return stringOf(model).includes('/') ? 'omp' : undefined;
  },
  toModel: 'state',
  payload: [['model'], ['provider', 'modelId']],
  text: ({ model, provider, modelId, role }) => [
    typeof model === 'string' ? model : [provider, modelId].filter((part) => typeof part === 'string').join('/'),
    ...(typeof role === 'string' && role !== 'default' ? [`(${role})`] : []),
  ],
  note: (entry) => {
    const role = stringOf(entry['role']);
    const forRole = role && role !== 'default' ? [' for ', { code: role }] : [];
    const rest = entry['resolvedModelIsFallback'] === true ? [', a fallback'] : [];
    return { words: ['Model', ...forRole, ': ', { code: modelName(entry) ?? 'none' }, ...rest] };
  },
};
