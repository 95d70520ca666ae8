/** In place of a parent's position: a root. */
export const ROOT = -1;
/** A parent that is not in the log; in a repair also one that cannot be used. */
export const LOST = -2;
/** In a repair: no entry has the id of the parent, and whether that is to be fixed is not decided yet. */
export const UNRESOLVED = -3;
/** In place of the number of a message. */
export const NO_MESSAGE = -1;
