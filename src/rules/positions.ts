/** In place of a parent's position: a root, or a parent that is not in the log; in a repair also one in a cycle. */
export const ROOT = -1;
export const LOST = -2;
/** In a repair: no entry has the id of the parent, and what to do is not decided yet. */
export const UNRESOLVED = -3;
/** In place of the number of a message. */
export const NO_MESSAGE = -1;
