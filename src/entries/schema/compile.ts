/** Imported on demand: zod's compiler is as large as the rest of zod. */
export { compile } from 'zod/v4/core';
