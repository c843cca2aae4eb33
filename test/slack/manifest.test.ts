// The manifest: the file is what the source says, its lengths are Slack's, and its scopes are the least that the calls
// need.
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { parse, stringify } from "yaml"
import { manifest } from "../../src/slack/manifest.ts"

const file = new URL("../../manifest.yml", import.meta.url)
const socket = manifest({ mode: "socket" })
const http = manifest({ mode: "http", url: "https://bot.example.com" })

describe("manifest.yml", () => {
  it("is the Socket Mode manifest", async () => {
    await expect(stringify(socket)).toMatchFileSnapshot(file.pathname)
    expect(parse(readFileSync(file, "utf8"))).toEqual(JSON.parse(JSON.stringify(socket)))
  })

  it("asks for the least scopes", () => {
    expect(socket.oauth_config?.scopes).toEqual({
      bot: "chat:write commands users:read users:read.email usergroups:read channels:read groups:read im:write".split(
        " ",
      ),
      bot_optional: ["channels:history", "groups:history", "im:history"],
    })
  })
})

describe.each([
  ["socket", socket],
  ["http", http],
])("the %s manifest", (_, told) => {
  it("keeps Slack's lengths", () => {
    const { name, description = "", long_description = "" } = told.display_information
    const [command] = told.features?.slash_commands ?? []

    expect(name.length).toBeLessThanOrEqual(35)
    expect(description.length).toBeLessThanOrEqual(140)
    expect(long_description.length).toBeGreaterThanOrEqual(175)
    expect(long_description.length).toBeLessThanOrEqual(4_000)
    expect(told.features?.bot_user?.display_name).toMatch(/^[a-z0-9._-]{1,80}$/)
    expect(command?.command).toMatch(/^\/[a-z0-9_-]{1,31}$/)
  })

  it("has only keys that the schema knows", () => {
    expect(Object.keys(told)).toEqual(["_metadata", "display_information", "features", "oauth_config", "settings"])
    expect(told._metadata).toEqual({ major_version: 2, minor_version: 1 })
  })
})

it("in HTTP mode both addresses lead to the one path, and Socket Mode is off", () => {
  const url = "https://bot.example.com/slack/events"

  expect(http.settings).toMatchObject({
    socket_mode_enabled: false,
    interactivity: { is_enabled: true, request_url: url },
  })
  expect(http.features?.slash_commands).toMatchObject([{ command: "/approvals", url }])
  expect(JSON.stringify(socket)).not.toContain("http")
})

it("the command has the configured name", () => {
  expect(manifest({ mode: "socket", command: "/ok" }).features?.slash_commands).toMatchObject([{ command: "/ok" }])
})

it.each(["http://bot.example.com", "bot.example.com"])("%s is refused: Slack wants https", (url) => {
  expect(() => manifest({ mode: "http", url })).toThrow(/must be an https address/)
})
