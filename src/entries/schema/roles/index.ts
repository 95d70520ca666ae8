import * as z from 'zod/mini';
import { assistant } from './assistant.ts';
import { bashExecution } from './bash-execution.ts';
import { custom, hookMessage } from './custom.ts';
import { developer } from './developer.ts';
import { fileMention } from './file-mention.ts';
import { pythonExecution } from './python-execution.ts';
import { system } from './system.ts';
import { toolResult } from './tool-result.ts';
import { user } from './user.ts';

/** Every message role that is known. One line a role. */
const roles = [user, assistant, toolResult, bashExecution, custom, developer, pythonExecution, fileMention, system] as const;

export const message = z.discriminatedUnion('role', roles);

/** Version 1 and 2 have one role more. */
export const messageBeforeVersion3 = z.discriminatedUnion('role', [...roles, hookMessage]);

export type Message = z.infer<typeof messageBeforeVersion3>;

export const knownRoles: readonly string[] = messageBeforeVersion3.def.options.flatMap((option) => option.shape.role.def.values);
