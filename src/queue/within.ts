// A limit in time for what BullMQ would wait for without end while Redis is away.

/** True if the work is done within the limit, in ms. Rejects as the work does; work that outlives the limit is no longer listened to. */
export async function within(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), limitMs)
  const done = work.then(() => true)
  return await Promise.race([done, promise]).finally(() => clearTimeout(timer))
}
