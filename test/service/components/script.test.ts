// Scripts of agents: what is accepted, and what is said about the rest.

import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { checkScript, readScript } from "../../../src/service/components/script.ts"

test("the script that the page shows is one", () => {
  const page = readFileSync(new URL("../../../docs/service.md", import.meta.url), "utf8")
  const [, yaml = ""] = /## The script\n[\s\S]*?```yaml\n([\s\S]*?)```/.exec(page) ?? []

  const { agents, teams, workflows } = readScript(yaml)

  expect([agents, teams, workflows].map((all) => all.map(({ id }) => id))).toEqual([
    ["billing-agent", "real-agent"],
    ["support-team"],
    ["month-end"],
  ])
})

test("YAML and a program's object mean the same, integers of any length included", () => {
  const yaml =
    "agents:\n  - id: a\n    tools: [{ name: t, gated: true }]\n    runs: [[[{ tool: t, args: { n: 12345678901234567890, f: 1.5 } }]]]\n"

  const fromYaml = readScript(yaml)
  const fromProgram = checkScript({
    agents: [
      {
        id: "a",
        tools: [{ name: "t", gated: true }],
        runs: [[[{ tool: "t", args: { n: 12345678901234567890n, f: 1.5 } }]]],
      },
    ],
  })

  expect(JSON.stringify(fromYaml)).toBe(JSON.stringify(fromProgram))
  expect(JSON.stringify(fromYaml)).toContain('"args":{"n":12345678901234567890,"f":1.5}')
  expect(fromYaml.agents[0]).toMatchObject({ name: "a", tools: [{ pause: "confirmation", result: null }] })
})

test("a checked script can be checked again", () => {
  const script = checkScript({
    agents: [{ id: "a", runs: [{ name: "x", turns: [{ error: "down" }] }] }],
    teams: [{ id: "t", members: ["a"], runs: [[[{ member: "a", task: "x" }]]] }],
    workflows: [{ id: "w", steps: [{ agent: "a" }, { name: "s", team: "t", task: "x" }] }],
  })

  expect(checkScript(script)).toEqual(script)
})

const model = { base_url: "https://api.example.com/v1", name: "m", key_env: "KEY" }

test("an agent may have a model instead of runs; a tool says what a model has to know of it", () => {
  const parameters = { type: "object", properties: { cents: { type: "integer" } } }
  const tools = [{ name: "refund", description: "Pays back.", parameters, requires_confirmation: true }]

  const script = checkScript({ agents: [{ id: "a", model, instructions: "Be kind.", tools }] })

  expect(script.agents[0]).toMatchObject({
    model: { ...model, max_rounds: 20, max_tokens: 500_000, timeout_seconds: 120 },
    tools: [{ gated: true, pause: "confirmation", description: "Pays back.", parameters }],
  })
  expect(checkScript(script)).toEqual(script)
})

test.each(["http://127.0.0.1:11434/v1", "http://localhost/v1", "http://[::1]/v1"])(
  "a key may go to a model on this machine: %s",
  (url) => {
    const script = checkScript({ agents: [{ id: "a", model: { ...model, base_url: url } }] })

    expect(script.agents[0]?.model?.base_url).toBe(url)
  },
)

test("a model that needs no key may stand at any address", () => {
  const script = checkScript({ agents: [{ id: "a", model: { base_url: "http://10.0.0.5/v1", name: "m" } }] })

  expect(script.agents[0]?.model?.key_env).toBe(null)
})

test.each<[string, unknown, RegExp]>([
  [
    "a model without a name",
    { agents: [{ id: "a", model: { base_url: "https://x.example" } }] },
    /agents\.0\.model\.name/,
  ],
  ["a model's misspelt key", { agents: [{ id: "a", model: { ...model, key: "x" } }] }, /agents\.0\.model: .*key/],
  [
    "a model's address that is none",
    { agents: [{ id: "a", model: { ...model, base_url: "api.example.com" } }] },
    /agents\.0\.model\.base_url: expected an http or https address/,
  ],
  [
    "a model's address with a password in it",
    { agents: [{ id: "a", model: { ...model, base_url: "https://me:secret@x.example" } }] },
    /base_url: expected an address without a name, a password/,
  ],
  [
    "a key that would go over the network in the clear",
    { agents: [{ id: "a", model: { ...model, base_url: "http://api.example.com/v1" } }] },
    /base_url: a key goes only to an https address, or to this machine/,
  ],
  [
    "a key in place of its variable",
    { agents: [{ id: "a", model: { ...model, key_env: "sk-1234" } }] },
    /key_env: expected the name of an environment variable/,
  ],
  ["no rounds", { agents: [{ id: "a", model: { ...model, max_rounds: 0 } }] }, /agents\.0\.model\.max_rounds/],
  ["no time", { agents: [{ id: "a", model: { ...model, timeout_seconds: 0 } }] }, /agents\.0\.model\.timeout_seconds/],
  [
    "a model and runs",
    { agents: [{ id: "a", model, runs: [{ turns: [] }] }] },
    /agents\.a\.runs: its model says what its runs do/,
  ],
  [
    "instructions that nobody reads",
    { agents: [{ id: "a", instructions: "Be kind." }] },
    /agents\.a\.instructions: only a model reads them/,
  ],
  [
    "a tool that a model cannot call by its name",
    { agents: [{ id: "a", model, tools: [{ name: "pay back" }] }] },
    /agents\.a\.tools: pay back: models take names/,
  ],
  [
    "parameters that are no JSON schema of an object",
    { agents: [{ id: "a", model, tools: [{ name: "t", parameters: { type: "array" } }] }] },
    /agents\.0\.tools\.0\.parameters: expected a JSON schema with type: object/,
  ],
  [
    "a tool that is confirmed and filled in",
    { agents: [{ id: "a", tools: [{ name: "t", requires_confirmation: true, pause: "user_input" }] }] },
    /agents\.0\.tools\.0\.requires_confirmation: /,
  ],
  [
    "a tool that is gated and not confirmed",
    { agents: [{ id: "a", tools: [{ name: "t", gated: true, requires_confirmation: false }] }] },
    /agents\.0\.tools\.0\.requires_confirmation: gated says otherwise/,
  ],
  ["a team with a model", { teams: [{ id: "t", model }] }, /teams\.0: .*model/],
  ["an unknown tool", { agents: [{ id: "a", runs: [[[{ tool: "t" }]]] }] }, /agents\.a\.runs: t is none of its tools/],
  ["a tool twice", { agents: [{ id: "a", tools: [{ name: "t" }, { name: "t" }] }] }, /a name is used twice/],
  ["an agent twice", { agents: [{ id: "a" }, { id: "a" }] }, /the id a is used twice/],
  ["an id with a slash", { agents: [{ id: "a/b" }] }, /agents\.0\.id/],
  ["a misspelt key", { agents: [{ id: "a", tolls: [] }] }, /agents\.0: .*tolls/],
  [
    "arguments that are no mapping",
    { agents: [{ id: "a", tools: [{ name: "t" }], runs: [{ turns: [[{ tool: "t", args: [1] }]] }] }] },
    /agents\.0\.runs\.0/,
  ],
  ["an empty turn", { agents: [{ id: "a", runs: [{ turns: [[]] }] }] }, /agents\.0\.runs\.0/],
  ["no mapping", "agents", /script: /],
  [
    "a tool both gated and audit",
    { agents: [{ id: "a", tools: [{ name: "t", gated: true, audit: true }] }] },
    /both gated/,
  ],
  ["a team's unknown member", { teams: [{ id: "t", members: ["x"] }] }, /teams\.t\.members: there is no agent x/],
  [
    "work for somebody outside the team",
    { agents: [{ id: "a" }], teams: [{ id: "t", runs: [[[{ member: "a" }]]] }] },
    /teams\.t\.runs: a is none of its members/,
  ],
  ["an agent that hands work on", { agents: [{ id: "a", runs: [[[{ member: "a" }]]] }] }, /a is none of its members/],
  ["a step by nobody", { workflows: [{ id: "w", steps: [{ name: "s" }] }] }, /either an agent, a team or a function/],
  [
    "a step by two",
    { workflows: [{ id: "w", steps: [{ agent: "a", team: "t" }] }] },
    /either an agent, a team or a function/,
  ],
  ["a step by an unknown team", { workflows: [{ id: "w", steps: [{ team: "t" }] }] }, /there is no team t/],
  ["a workflow without steps", { workflows: [{ id: "w", steps: [] }] }, /workflows\.0\.steps/],
  [
    "an id twice among workflows",
    { agents: [{ id: "a" }], workflows: [1, 2].map(() => ({ id: "w", steps: [{ agent: "a" }] })) },
    /the id w is used twice/,
  ],
])("a script is refused, with the place: %s", (_name, script, message) => {
  expect(() => checkScript(script)).toThrowError(
    expect.objectContaining({ code: "script_invalid", message: expect.stringMatching(message) }),
  )
})

test("the page's script of an agent that thinks is one", () => {
  const page = readFileSync(new URL("../../../docs/service.md", import.meta.url), "utf8")
  const [, yaml = ""] = /## An agent that thinks\n[\s\S]*?```yaml\n([\s\S]*?)```/.exec(page) ?? []

  expect(readScript(yaml).agents).toMatchObject([{ id: "billing-agent", tools: [{ gated: false }, { gated: true }] }])
})

test("YAML that is none is refused", () => {
  expect(() => readScript("agents: [")).toThrowError(expect.objectContaining({ code: "script_invalid" }))
})
