/** Loaded where it is worth it: zod's compiler is as large as the rest of it. */
export { compile } from 'zod/v4/core';
