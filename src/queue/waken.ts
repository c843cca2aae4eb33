// What was asked for while a job ran that then put itself off: the job does not sleep over it.
import type { Job, RedisQueueBackend, Worker } from "bullmq"

/**
 * Brings a job forward that put itself off although its step was asked for while it ran. BullMQ keeps such a request beside the job until
 * the job has ended, which one that comes again in half a minute has not. Whoever asks after it was put off finds it and brings it
 * forward. Failures are told to `onError`: then the job is merely late.
 */
export function wakeWhatWasAskedFor(
  worker: Worker<unknown, void, string, RedisQueueBackend>,
  onError: (error: unknown) => void,
): void {
  worker.on("failed", (job) => {
    if (job?.deduplicationId !== undefined) wake(worker, job, job.deduplicationId).catch(onError)
  })
}

async function wake(worker: Worker<unknown, void, string, RedisQueueBackend>, job: Job, id: string): Promise<void> {
  const client = await worker.getBackend().client
  // One run answers it. What is kept goes before that begins, or what is asked for meanwhile would go with it.
  if ((await client.del(worker.toKey(`dn:${id}`))) === 0) return
  try {
    await job.promote()
  } catch (error) {
    // Somebody else brought it forward, or put another in its place.
    if (await job.isDelayed()) throw error
  }
}
