// The doctor on Redis: on a server that the test sets wrongly, and on facts that no server of ours would tell.

import { randomBytes } from "node:crypto"
import { createServer } from "node:tls"
import { Redis } from "ioredis"
import { describe, expect, it, onTestFinished } from "vitest"
import { judgeAddress, judgeServer, lookAtRedis } from "../../../../src/cli/doctor/redis/redis.ts"
import { rulesSchema, type SharedSettings, sharedOf } from "../../../../src/config.ts"
import type { SharedConfig } from "../../../../src/domain/policy/shared-config.ts"
import { createSeal } from "../../../../src/domain/proof/seal.ts"
import { createLog } from "../../../../src/log.ts"
import type { ServerFacts } from "../../../../src/store/admin/probe.ts"
import { connectRedis } from "../../../../src/store/redis/connection.ts"
import { createKeys } from "../../../../src/store/redis/keys.ts"
import { smallestAcl } from "../../../../src/store/redis/rights.ts"
import { writeRefusals } from "../../../../src/store/redis/write-refusal.ts"
import { createStore } from "../../../../src/store/store.ts"
import { aRule } from "../../../support/builders.ts"
import { anAuthority } from "../../../support/certificates.ts"
import { onLoopback } from "../../../support/on-loopback.ts"
import { opened } from "../../../support/opened.ts"
import { anOwnRedis } from "../../../support/redis.ts"
import { startServer } from "../../../support/redis-server.ts"
import { refusals } from "../../../support/refusals.ts"
import { aSharedInstance, ruledAs } from "../../../support/shared-config.ts"
import { troubles } from "../../patient.ts"

const log = createLog({ write: () => {}, clock: Date.now, secrets: [] })
const { probe } = createKeys("default")
const key = Buffer.from("a key of the tests that is long enough")

/** What the doctor's config says that all replicas share. */
const file: SharedSettings = {
  ...ruledAs([aRule()]),
  identities: [],
  resolvedBy: "{email}",
  stop: undefined,
  hold: [],
  slack: { apiUrl: "https://slack.com/api/", sandbox: false },
  instances: [
    {
      name: "main",
      url: "https://agents.example.com",
      token: undefined,
      tokenFile: undefined,
      resolving: { kind: "same" },
      pollMs: 1_000,
      timeoutMs: 10_000,
      resume: "off",
      resumeToken: undefined,
      resumeTokenFile: undefined,
      resumeMs: 300_000,
      rejectUserInput: "hold",
      besideAgnoSlack: false,
      receiptLifeMs: 86_400_000,
      way: { proxy: null, ca: null },
      resumeWay: { proxy: null, ca: null },
    },
  ],
}

async function aServer() {
  const server = await anOwnRedis()
  const redis = new Redis(server.url)
  onTestFinished(() => redis.disconnect())
  return { url: server.url, folder: server.folder, redis }
}

function round(url: string, ours: Buffer | null = key) {
  const config = { ...file, redis: { kind: "url" as const, url, ca: null }, installation: "default", webhooks: [] }
  return lookAtRedis({ config, key: ours, env: process.env, random: randomBytes, log })
}

async function look(url: string, ours: Buffer | null = key) {
  return (await round(url, ours)).findings
}

/** Makes the installation as a bot would, then activates these configs one after the other. */
async function claim(url: string, ...configs: readonly SharedConfig[]): Promise<void> {
  const connection = await connectRedis({ url, installation: "default", log })
  const seal = createSeal({ key, installation: "default", nonce: () => randomBytes(12) })
  const store = createStore({ connection, installation: "default", seal, rulesSchema, log, sandbox: true, paceMs: 0 })
  await store.claim(Date.now())
  for (const shared of configs) await store.config.activate({ shared, activate: false, at: Date.now() })
  await connection.close()
}

describe("Redis", () => {
  it("R7 Redis that holds an address which means somebody else by now fails, with both ids and what to do", async () => {
    const { url } = await aServer()
    await claim(url)
    const connection = await connectRedis({ url, installation: "default", log })
    const seal = createSeal({ key, installation: "default", nonce: () => randomBytes(12) })
    const { identityLinks } = createStore({
      connection,
      installation: "default",
      seal,
      rulesSchema,
      log,
      sandbox: true,
      paceMs: 0,
    })
    await identityLinks.pin("ann@example.com", { team: "T1", user: "U1" }, Date.now())
    expect(troubles(await look(url))).toEqual([])

    await identityLinks.contest("ann@example.com", { team: "T1", user: "U2" }, Date.now())
    const found = await look(url)
    await connection.close()

    expect(troubles(found)).toEqual(["fail: ann@example.com was pinned to T1:U1, and Slack says that it means T1:U2"])
    expect(JSON.stringify(found)).toContain("countersign people link ann@example.com T1:U2")
  })

  it("Redis that holds what a replica found on its Slack app is warned about while that replica runs", async () => {
    const { url } = await aServer()
    await claim(url)
    const connection = await connectRedis({ url, installation: "default", log })
    const seal = createSeal({ key, installation: "default", nonce: () => randomBytes(12) })
    const options = { connection, installation: "default", seal, rulesSchema, log, sandbox: true, paceMs: 0 }
    await createStore(options).sockets.note({ id: "ours", foreign: 0 })
    const before = troubles(await look(url))

    await createStore(options).sockets.note({ id: "another of ours", foreign: 2 })
    const found = await look(url)
    await createStore({ ...options, sharedClock: () => Date.now() + 60_000 }).sockets.note({ id: "new", foreign: 0 })
    const after = troubles(await look(url))
    await connection.close()

    expect(found).toContainEqual(expect.objectContaining({ level: "warn", area: "slack" }))
    expect([before, troubles(found), after]).toEqual([
      [],
      ["warn: sockets of somebody else are open on our Slack app: 2"],
      [],
    ])
  })

  it("a look at Redis changes nothing but for a key of its own, which goes after ten seconds", async () => {
    const { url, redis } = await aServer()
    await claim(url)
    const contents = async () => {
      const names = (await redis.keys("*")).filter((name) => name !== probe)
      return Promise.all(names.toSorted().map((name) => redis.dumpBuffer(name)))
    }
    const before = await contents()

    await look(url)
    const [after, leftMs] = [await contents(), await redis.pttl(probe)]

    expect(after).toEqual(before)
    expect(leftMs).toBeGreaterThan(0)
    expect(leftMs).toBeLessThanOrEqual(10_000)
  })

  it("a Redis as we start it is well in everything", async () => {
    const { url } = await aServer()

    const found = await look(url)

    expect(troubles(found)).toEqual([])
    expect(found.map(({ what }) => what).join("\n")).toMatch(/noeviction.*appendonly.*hz 100.*first start makes it/s)
  })

  it.each([
    ["redis://db.example.com:6379", ["is not encrypted", "asks for no password"]],
    ["redis://:secret-of-redis@db.example.com", ["is not encrypted"]],
    ["rediss://db.example.com/2", ["asks for no password"]],
    ["rediss://app@db.example.com", ["asks for no password"]],
    ["rediss://app:secret-of-redis@10.0.0.7:6380", []],
    ["redis-cluster://127.0.0.1:7000,10.0.0.7:7000", ["is not encrypted", "asks for no password"]],
    ["rediss-cluster://app:secret-of-redis@one.example.com,two.example.com", []],
    ["redis-sentinel://:secret-of-redis@s1.example.com,s2.example.com/primary", ["is not encrypted"]],
    ["redis-sentinel://localhost,[::1]:26380/primary", []],
    ["redis://127.0.0.1:6379", []],
    ["redis://localhost", []],
    ["redis://[::1]:6379", []],
  ] as const)("R14 a Redis at %s is judged by encryption and password: %j", (url, words) => {
    const found = judgeAddress({ kind: "url", url, ca: null })

    expect(found.map(({ what }) => what)).toEqual(words.map((word) => expect.stringContaining(word)))
    expect(found.every(({ level }) => level === "warn")).toBe(true)
    expect(JSON.stringify(found)).not.toContain("secret-of-redis")
  })

  it("a Redis of our own needs neither password nor TLS", () => {
    expect(judgeAddress({ kind: "own", folder: "/data" })).toEqual([])
  })

  it("somewhere else is warned about although it does not answer", async () => {
    const found = await look("redis://redis.invalid:6379")

    expect(troubles(found)).toEqual([
      expect.stringContaining("warn: the way to redis.invalid:6379 is not encrypted"),
      expect.stringContaining("warn: redis.invalid:6379 asks for no password"),
      expect.stringContaining("fail: "),
    ])
  })

  it("Redis that does not answer fails, with its address and without its password", async () => {
    const found = await look("redis://somebody:secret@127.0.0.1:9")

    expect(found).toHaveLength(1)
    expect(found[0]).toMatchObject({ level: "fail", what: expect.stringContaining("redis://127.0.0.1:9") })
    expect(JSON.stringify(found)).not.toContain("secret")
  })

  it("Redis that wants a password which it is not given says so", async () => {
    const { url, redis } = await aServer()
    await redis.config("SET", "requirepass", "right")

    expect(await look(url)).toContainEqual(
      expect.objectContaining({
        what: expect.stringContaining("NOAUTH"),
        todo: "put the user and password of that server into REDIS_URL",
      }),
    )
  })

  it.each([
    [
      "rediss://localhost",
      anAuthority().issue(["localhost"]),
      /verify the first certificate/,
      /redis_ca_file \(REDIS_CA_FILE\)/,
    ],
    [
      "redis://localhost",
      anAuthority().issue(["localhost"]),
      /takes no plain connection there: use rediss:\/\//,
      /change REDIS_URL \(redis_url\) as it says/,
    ],
  ])("behind TLS at %s that does not fit is told apart", async (address, certified, what, todo) => {
    const server = createServer(certified, (socket) => socket.resume())
    server.on("tlsClientError", () => undefined)
    const { port } = await opened(onLoopback(server))

    const found = await look(`${address}:${port}`)

    expect(found.findLast(({ level }) => level === "fail")).toMatchObject({
      what: expect.stringMatching(what),
      todo: expect.stringMatching(todo),
    })
  })

  it("Redis that is a node of a cluster, given by a plain address, is told so, and that redis-cluster:// is right", async () => {
    const server = await startServer({ args: ["--cluster-enabled", "yes"] })
    onTestFinished(() => server.stop())

    const found = await look(`redis://127.0.0.1:${server.port}`)

    expect(found).toEqual([
      expect.objectContaining({
        level: "fail",
        what: `Redis at redis://127.0.0.1:${server.port} is a node of a Redis Cluster: use redis-cluster://<host>:<port> in REDIS_URL (redis_url)`,
        todo: "change REDIS_URL (redis_url) as it says",
      }),
    ])
  })

  it("Redis whose user may do all that is needed is well, and the smallest ACL is printed", async () => {
    const { url } = await aServer()

    const rights = (await look(url)).find(({ what }) => what.startsWith("its user may"))

    expect(rights).toMatchObject({ level: "ok" })
    expect(rights?.what).toContain(
      "ACL SETUSER countersign on '>a long password' resetchannels ~{countersign:default}*",
    )
  })

  it.each([
    ["a command and a part of one left out", /^\+(zadd|client\|setname)$/, [], "client|setname, zadd"],
    ["no right to transactions", /^\+multi$/, [], "multi"],
    ["keys of another installation alone", /^~/, ["~{countersign:other}*"], "~{countersign:default}*"],
  ])(
    "Redis whose user has %s fails, with what is missing and the ACL that gives it",
    async (_who, left, more, missing) => {
      const server = await startServer()
      onTestFinished(() => server.stop())
      const rules = smallestAcl("default", "server").split(" ")
      await server.redis.call(
        "ACL",
        "SETUSER",
        "app",
        "on",
        ">word",
        ...rules.filter((rule) => !left.test(rule)),
        ...more,
      )

      const found = await look(`redis://app:word@127.0.0.1:${server.port}`)

      const rights = found.find(({ what }) => what.startsWith("its user may"))
      expect(rights).toMatchObject({
        level: "fail",
        what: `its user may not: ${missing}`,
        todo: expect.stringContaining(
          "ACL SETUSER app on '>a long password' resetchannels ~{countersign:default}* -@all +",
        ),
      })
      const kept = await server.redis.keys("*")
      expect(kept.filter((name) => name !== "{countersign:default}:probe")).toEqual([])
    },
  )

  it("Redis that may evict fails; without append-only file and with a slow timer it is warned about", async () => {
    const { url, redis } = await aServer()
    await redis.config("SET", "maxmemory-policy", "allkeys-lru")
    await redis.config("SET", "appendonly", "no")
    await redis.config("SET", "hz", "10")

    expect(troubles(await look(url))).toEqual([
      "fail: its maxmemory-policy is allkeys-lru",
      "warn: its append-only file is off",
      "warn: its hz is 10",
    ])
  })

  it("Redis that is nearly full is warned about", async () => {
    const { url, redis } = await aServer()
    const used = Number(/used_memory:(\d+)/.exec(await redis.info("memory"))?.[1])
    await redis.config("SET", "maxmemory", String(Math.round(used * 1.2)))

    expect(troubles(await look(url))).toEqual([expect.stringMatching(/^warn: it uses .* MB of .* MB \(\d+ %\)/)])
  })

  it("Redis that follows another one fails, and that it takes no writes is not said twice", async () => {
    const { url, redis } = await aServer()
    await redis.replicaof("127.0.0.1", 9)

    const found = troubles(await look(url)).filter((one) => one.startsWith("fail"))

    expect(found).toEqual(["fail: it is a slave, not the primary"])
  })

  it.each(refusals.filter(({ word }) => ["OOM", "MISCONF", "NOREPLICAS"].includes(word)))(
    "Redis that answers and takes no writes ($word) fails, with what to do",
    async ({ word, begin, mend }) => {
      const { url, redis, folder } = await aServer()
      await begin(redis, folder)

      const found = (await look(url)).find(({ what }) => what.includes("takes no writes"))
      // One that cannot save would not stop, either.
      await mend(redis, folder)

      expect(found).toMatchObject({
        level: "fail",
        what: `it answers, and takes no writes (${word}): ${writeRefusals[word].means}`,
        why: "as long as it refuses writes, no press is taken and no card is posted",
        todo: writeRefusals[word].todo,
      })
    },
  )

  it.each([
    ["6.0.16", "fail: it is version 6.0.16, and 6.2 is the oldest that works"],
    [null, "fail: it is version unknown, and 6.2 is the oldest that works"],
  ])("Redis of version %s fails", (version, trouble) => {
    expect(troubles(judgeServer({ ...sound, version }))).toEqual([trouble])
  })

  it.each(["6.2.0", "7.2.4", "8.0.2", "10.0.0"])("Redis of version %s is well", (version) => {
    expect(troubles(judgeServer({ ...sound, version }))).toEqual([])
  })

  it("Redis that keeps its settings to itself is warned about where that matters", () => {
    const silent = { ...sound, maxmemoryPolicy: null, appendOnly: null, hz: null, usedBytes: null, role: null }

    expect(troubles(judgeServer(silent))).toEqual([
      "warn: it does not tell its maxmemory-policy",
      "warn: it does not tell whether its append-only file is on",
    ])
  })
})

const sound: ServerFacts = {
  version: "7.0.15",
  role: "master",
  maxmemoryPolicy: "noeviction",
  appendOnly: true,
  hz: 100,
  usedBytes: 1_000_000,
  maxBytes: 0,
}

describe("the installation", () => {
  it("R14 the installation that our key sealed is ours", async () => {
    const { url } = await aServer()
    await claim(url)

    const found = await look(url)

    expect(troubles(found)).toEqual([])
    expect(found.at(-2)?.what).toBe("installation default is sealed with our key")
  })

  const ours = sharedOf(file)
  const another = { ...ours, resolvedBy: "slack:{user}" }
  const moved = { ...ours, instances: [aSharedInstance({ url: "https://elsewhere.example.com" })] }
  it.each([
    ["is active", [ours], "ok", "this config is the active one"],
    ["was never active", [another], "ok", "this config was never active: the next start makes it so, for all replicas"],
    [
      "was replaced",
      [ours, another],
      "warn",
      expect.stringMatching(/^this config was active earlier, and another one/),
    ],
    [
      "was replaced by one with another address",
      [ours, moved],
      "fail",
      expect.stringContaining("the active config names https://elsewhere.example.com"),
    ],
    [
      "was replaced by one of a newer version, with a key that we do not know",
      [ours, { ...ours, instances: ours.instances.map((one) => ({ ...one, eager: true })) }],
      "fail",
      "this version of Countersign cannot read the active config: it does not know eager of instance main",
    ],
  ])("R16 has a config that %s", async (_case, configs, level, what) => {
    const { url } = await aServer()
    await claim(url, ...configs)

    expect((await look(url)).at(-1)).toMatchObject({ level, what })
  })

  it.each([
    ["of another key", Buffer.from("another key of the tests, long enough")],
    ["whose key file is gone", null],
  ])("R14 an installation %s fails", async (_case, ours) => {
    const { url } = await aServer()
    await claim(url)

    const found = await look(url, ours)

    expect(troubles(found)).toEqual([
      expect.stringMatching(/^fail: installation default in this Redis was made with key/),
    ])
    expect(found.at(-1)).toMatchObject({ todo: expect.stringContaining("COUNTERSIGN_KEY") })
  })

  it("R14 the installation whose record somebody changed fails", async () => {
    const { url, redis } = await aServer()
    await claim(url)
    await redis.hset("{countersign:default}:installation", "sealed", "x")

    expect(troubles(await look(url))).toEqual([expect.stringContaining("was not written by us")])
  })
})
