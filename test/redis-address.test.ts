// What REDIS_URL may say, and what is said of what it may not.
import { expect, it } from "vitest"
import { readRedisAddress, secretsInAddress, shownAddress } from "../src/redis-address.ts"

it.each([
  ["redis://127.0.0.1", { kind: "server", url: "redis://127.0.0.1", tls: false, user: undefined, password: undefined }],
  ["/run/redis.sock", { kind: "server", url: "/run/redis.sock", tls: false }],
  ["rediss://app:p%40ss@db.example.com:6380/2", { kind: "server", tls: true, user: "app", password: "p@ss" }],
  ["redis://:raw@sign@db", { kind: "server", user: undefined, password: "raw@sign" }],
  [
    "redis-cluster://one:7000,two",
    {
      kind: "cluster",
      nodes: [
        { host: "one", port: 7_000 },
        { host: "two", port: 6_379 },
      ],
      tls: false,
      user: undefined,
      password: undefined,
    },
  ],
  [
    "rediss-cluster://app:a%2Fb@[::1]:7000/0",
    { kind: "cluster", nodes: [{ host: "::1", port: 7_000 }], tls: true, password: "a/b" },
  ],
  [
    "redis-sentinel://:word@s1,s2:26380/my%20primary",
    {
      kind: "sentinel",
      nodes: [
        { host: "s1", port: 26_379 },
        { host: "s2", port: 26_380 },
      ],
      primary: "my primary",
      database: 0,
      password: "word",
      sentinelPassword: undefined,
    },
  ],
  [
    "rediss-sentinel://s1/primary/3?sentinel_user=watch&sentinel_password=p%26q",
    { kind: "sentinel", tls: true, primary: "primary", database: 3, sentinelUser: "watch", sentinelPassword: "p&q" },
  ],
] as const)("the address %s is read", (text, address) => {
  expect(readRedisAddress(text)).toMatchObject({ ok: true, address })
})

it.each([
  ["http://db", "must be a redis:// or rediss:// address, or redis-cluster://"],
  ["redis+cluster://db", "must be a redis:// or rediss:// address, or redis-cluster://"],
  ["redis://one,two", "lists several servers: use redis-cluster:// for a Redis Cluster, redis-sentinel://"],
  ["redis://user:se/cret@db", "cannot be read"],
  ["redis-cluster://user:se/cret@db", "cannot be read"],
  ["redis-cluster://", "must list hosts as host:port"],
  ["redis-cluster://one,,two", "must list hosts as host:port"],
  ["redis-cluster://one:0", "must list hosts as host:port"],
  ["redis-cluster://one:70000", "must list hosts as host:port"],
  ["redis-cluster://one/2", "has one database only"],
  ["redis-cluster://a:50%zz@one", "write it as %25"],
  ["redis-sentinel://s1,s2", "must end in the name that the Sentinels have for the primary"],
  ["redis-sentinel://s1/", "must end in the name"],
  ["redis-sentinel://s1/primary/none", "must end in the name"],
  ["redis-sentinel://s1/primary?password=secret-word", "no other parameters than sentinel_user"],
] as const)("the address %s is refused: it %s", (text, words) => {
  const read = readRedisAddress(text)

  expect(read).toMatchObject({ ok: false, problem: expect.stringContaining(words) })
  expect(JSON.stringify(read)).not.toMatch(/secret-word|se\/cret/)
})

it.each([
  ["redis://ann:hunter2@db:6379/1", "redis://db:6379/1"],
  ["redis-cluster://ann:hunter2@one:1,two:2", "redis-cluster://one:1,two:2"],
  ["redis-sentinel://ann:hunter2@s1/primary?sentinel_password=hunter2", "redis-sentinel://s1/primary"],
  ["/run/redis.sock", "/run/redis.sock"],
] as const)("the address %s is shown without what it keeps secret", (text, shown) => {
  expect(shownAddress(text)).toBe(shown)
})

it("the secrets of an address are known in each form in which they may be said", () => {
  const found = secretsInAddress("redis-sentinel://ann:p%40ss@s1/primary?sentinel_password=w%26rd")

  expect(found).toEqual(expect.arrayContaining(["p%40ss", "p@ss", "w&rd", "w%26rd"]))
  expect(secretsInAddress("redis://db")).toEqual([])
  expect(secretsInAddress("no address")).toEqual([])
})
