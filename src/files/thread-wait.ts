let waiting = 0;

/** Counts a call that another thread makes for us, as long as it takes. */
export async function inThread<T>(call: Promise<T>): Promise<T> {
  waiting++;
  try {
    return await call;
  } finally {
    waiting--;
  }
}

/** Whether another thread opens or reads something, and perhaps waits for whoever is at the other end of a pipe. */
export function isThreadWaiting(): boolean {
  return waiting > 0;
}
