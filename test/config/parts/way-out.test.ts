// Proxies that the environment names, and CAs that are believed besides the usual ones.

import { describe, expect, test } from "vitest"
import { anAuthority } from "../../support/certificates.ts"
import { FILE_ENV, load, refusal, SOCKET_ENV } from "../load.ts"

const proxy = "http://proxy.example.com:3128"
const rules = "rules: [{name: a, routes: [C0A], approvers: [U0C], unknown_requester: allow}]"
const instances = (...urls: readonly string[]) =>
  `${rules}\ninstances: [${urls.map((url, at) => `{name: i${at}, url: "${url}"}`).join(", ")}]`
const ways = (env: Readonly<Record<string, string>>, yaml?: string) => {
  const { instances: all, slack } = load(yaml === undefined ? { env } : { env, yaml })
  return { platform: all.map(({ way }) => way.proxy), slack: slack.way.proxy }
}

describe("a proxy", () => {
  test("is none unless a variable names one", () => {
    expect(load({ env: SOCKET_ENV }).instances[0]?.way).toEqual({ proxy: null, ca: null })
    expect(ways({ ...SOCKET_ENV, NO_PROXY: "x" })).toEqual({ platform: [null], slack: null })
  })

  test("is chosen by the address, never by another scheme's variable", () => {
    const env = { ...FILE_ENV, HTTP_PROXY: "http://plain:1", HTTPS_PROXY: proxy, NO_PROXY: "a.example, .internal" }
    const except = "a.example, .internal"
    const https = { url: `${proxy}/`, except, variable: "HTTPS_PROXY" }

    expect(ways(env, instances("https://a.example", "http://b.example"))).toEqual({
      platform: [https, { url: "http://plain:1/", except, variable: "HTTP_PROXY" }],
      slack: https,
    })
    expect(ways({ ...FILE_ENV, HTTP_PROXY: proxy }, instances("https://a.example"))).toEqual({
      platform: [null],
      slack: null,
    })
  })

  test.each([
    "http://localhost:1",
    "http://127.0.0.1:1",
    "http://127.8.9.10:1",
    "https://[::1]:1",
    "http://a.localhost",
  ])("is never between us and this machine: %s", (url) => {
    const env = { ...FILE_ENV, HTTP_PROXY: proxy, HTTPS_PROXY: proxy }

    expect(ways(env, instances(url)).platform).toEqual([null])
  })

  test("may be named in small letters, which count, and without a scheme", () => {
    const env = { ...SOCKET_ENV, HTTPS_PROXY: "http://other:1", https_proxy: "proxy.example.com:3128", no_proxy: "x" }

    expect(ways(env).slack).toEqual({ url: `${proxy}/`, except: "x", variable: "HTTPS_PROXY" })
  })

  test("keeps its password out of the log, however it is said", () => {
    const { secrets } = load({ env: { ...SOCKET_ENV, HTTPS_PROXY: "http://me:p%40ss-word@proxy.example.com" } })

    expect(secrets).toEqual(expect.arrayContaining(["p%40ss-word", "p@ss-word", btoa("me:p@ss-word")]))
  })

  test.each(["socks5://proxy:1080", "http://", "http://me:100%@proxy"])(
    "a proxy that is %s is refused where it would count, and only there",
    (odd) => {
      const env = { ...FILE_ENV, HTTP_PROXY: odd }

      expect(refusal({ env, yaml: instances("http://agents.example") }).message).toBe(
        "The configuration is wrong: environment variable HTTP_PROXY must be the http or https address of a proxy. For example: HTTP_PROXY=http://proxy.example.com:3128",
      )
      expect(ways(env, instances("https://agents.example")).platform).toEqual([null])
    },
  )
})

describe("a CA", () => {
  const { cert } = anAuthority()
  const yaml = `${rules}\ninstances: [{name: main, url: https://a.example, ca_file: ca.pem}]\nslack: {ca_file: /etc/slack.pem}`

  test("is read from where its key says, and counts there alone", () => {
    const files = { "/srv/bot/ca.pem": cert, "/etc/slack.pem": `${cert}\n${cert}` }

    const { instances: all, slack } = load({ env: FILE_ENV, yaml, files })

    expect([all[0]?.way.ca, slack.way.ca]).toEqual([cert, `${cert}\n${cert}`])
  })

  test.each([
    ["that cannot be read", {}],
    ["that holds no certificate in PEM", { "/srv/bot/ca.pem": "-----BEGIN PRIVATE KEY-----" }],
    ["that holds a broken certificate", { "/srv/bot/ca.pem": cert.replace(/.{20}\n-----END/, "\n-----END") }],
  ])("a CA in a file %s is refused by its key", (what, files) => {
    const { message } = refusal({ env: FILE_ENV, yaml, files: { "/etc/slack.pem": cert, ...files } })

    expect(message).toContain(`instances[0].ca_file names a file ${what}. For example: ca_file: `)
  })

  test("a CA of Slack is refused by Slack's key", () => {
    expect(refusal({ env: FILE_ENV, yaml, files: { "/srv/bot/ca.pem": cert } }).message).toContain(
      "slack.ca_file names a file that cannot be read",
    )
  })

  test.each([
    ["redis_ca_file: redis.pem", {}],
    ["", { REDIS_CA_FILE: "redis.pem" }],
  ])("a CA of Redis is read where it is named, in the file or by a variable: %s %j", (line, more) => {
    const env = { ...FILE_ENV, ...more, REDIS_URL: "rediss-cluster://one,two", COUNTERSIGN_KEY: "k".repeat(32) }
    const yaml = `${rules}\n${line}\ninstances: [{name: main, url: https://a.example}]`

    expect(load({ env, yaml, files: { "/srv/bot/redis.pem": cert } }).redis).toMatchObject({ kind: "url", ca: cert })
    expect(refusal({ env, yaml, files: {} }).message).toMatch(
      /(redis_ca_file|REDIS_CA_FILE) names a file that cannot be read/,
    )
    const plain = { ...env, REDIS_URL: "redis://one" }
    expect(refusal({ env: plain, yaml, files: { "/srv/bot/redis.pem": cert } }).message).toMatch(
      /(redis_ca_file|REDIS_CA_FILE) has no effect: redis_url does not begin with rediss, so there is no TLS/,
    )
  })

  test("a CA in NODE_EXTRA_CA_CERTS that Node cannot read is a warning, since Node goes on", () => {
    const env = { ...SOCKET_ENV, NODE_EXTRA_CA_CERTS: "/etc/extra.pem" }

    expect(load({ env }).warnings).toMatchObject([
      { what: "NODE_EXTRA_CA_CERTS names a file that cannot be read", todo: expect.stringContaining("PEM") },
    ])
    expect(load({ env, files: { "/etc/extra.pem": cert } }).warnings).toEqual([])
  })
})
