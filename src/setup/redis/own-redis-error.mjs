// The error of a Redis of our own that does not start. Its code tells that it was foreseen: no stack is shown for it.

/** The message says what is wrong and what to do. Trying again does not help. */
export class OwnRedisError extends Error {
  code = "own-redis-failed"
  retryable = false
}
