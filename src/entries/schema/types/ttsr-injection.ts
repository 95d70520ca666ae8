import * as z from 'zod/mini';
import { entryType } from '../shapes.ts';

/** The rules that omp put into the context. */
export const ttsrInjection = entryType('ttsr_injection', () => ({ injectedRules: z.array(z.string()) }));
