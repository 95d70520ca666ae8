import { type EntryType, modelName, stringOf } from '../entry-type.ts';
/** Seed 004 and omp write `model: "provider/id"`, pi `provider` and `modelId`, seed 000 `model` without a provider. */
export const modelChange: EntryType = {
  name: 'model_change',
  // Any role is allowed; agents know these.
  fields: `model?: string, role?: 'default' | 'fallback' | 'temporary' | 'smol' | 'slow' | 'plan' | string,
    resolvedModelIsFallback?: boolean, provider?: string, modelId?: string`,
  oneOf: [['model'], ['provider', 'modelId']],
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
