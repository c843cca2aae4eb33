// Scripts of agents: what is accepted, and what is said about the rest.

import { expect, test } from "vitest"
import { checkScript, readScript } from "../../../src/service/components/script.ts"

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

test.each<[string, unknown, RegExp]>([
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

test("YAML that is none is refused", () => {
  expect(() => readScript("agents: [")).toThrowError(expect.objectContaining({ code: "script_invalid" }))
})
