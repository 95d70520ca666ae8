import * as z from 'zod';
import { anObject, requireOneOf } from '../shapes.ts';

/** Seed 000 spells the arguments `input`. */
export const toolCall = requireOneOf(
  z.looseObject({
    type: z.literal('toolCall'),
    id: z.string(),
    name: z.string(),
    arguments: anObject.optional(),
    input: anObject.optional(),
    thoughtSignature: z.string().optional(),
  }),
  [['arguments'], ['input']],
).meta({ id: 'block-toolCall' });
