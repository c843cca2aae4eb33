// The error if a Redis of our own does not start. By its code we know that it was foreseen, and show no stack for it.

/** The message says what is wrong and what to do. Trying again does not help. */
export class OwnRedisError extends Error {
  code = "own-redis-failed"
  retryable = false
}
