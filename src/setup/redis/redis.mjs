// A Redis on any machine: finds or installs the server program, and runs one of our own.
export { findRedis } from "./find-redis.mjs"
export { startRedis } from "./start-redis.mjs"
