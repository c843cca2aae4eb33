// What people are shown of a proposed config: every key that is other, and nothing else (R16).
import { expect, test } from "vitest"
import type { Current } from "../../src/bot/current.ts"
import { activate, type Parts } from "../../src/bot/modules.ts"
import type { BotOptions } from "../../src/bot/options.ts"
import { createWaiting, proposeConfig } from "../../src/bot/propose.ts"
import { sharedOf } from "../../src/config.ts"
import { configRevisionOf } from "../../src/domain/policy/shared-config.ts"
import { FILE_ENV, load, SOCKET_ENV } from "../config/load.ts"
import { noon, type OpenStore, openStore, silentLog } from "../store/support.ts"

const yaml = `
instances: [{ name: main, url: "https://agents.example.com", token: "\${PLATFORM_TOKEN}" }]
resolved_by: "{email}"
rules_change: { approvers: [S0A], route: C0R }
rules:
  - { name: all, routes: [C0A], approvers: [S0B], quorum: 2, unknown_requester: allow }
`
const env = { ...FILE_ENV, PLATFORM_TOKEN: "t" }
const configOf = (text: string) => load({ env, yaml: text })

async function aGuarded() {
  const open = await openStore({ revision: null })
  await open.store.config.activate({ shared: sharedOf(configOf(yaml)), activate: false, at: noon })
  return open
}

/** Proposes a file, and gives what its card shows. */
async function shownOf({ store }: OpenStore, text: string) {
  const done = await proposeConfig({ config: configOf(text), clock: () => noon }, store, false)
  if (done.kind !== "proposed") throw new Error(`nothing was proposed: ${done.kind}`)
  return (await store.config.proposals.read(done.proposal.id))?.kept.shown ?? {}
}

test.each([
  [
    "url",
    "https://agents.example.com",
    "https://moved.example.com",
    { key: "instances[main].url", before: "https://agents.example.com", now: "https://moved.example.com" },
  ],
  ["mask", "quorum: 2,", "quorum: 2, mask: [iban],", { key: "rules[all].mask", before: "[]", now: "[iban]" }],
  ["resolved_by", '"{email}"', '"{user}"', { key: "resolved_by", before: '"{email}"', now: '"{user}"' }],
])("R16 a proposal that only changes %s shows just that", async (_key, from, to, change) => {
  const open = await aGuarded()

  const shown = await shownOf(open, yaml.replace(from, to))

  expect(shown["changes"]).toEqual([change])
  expect(shown["comparison"]).toEqual([
    "0 looser, 0 looser and allowed, 0 otherwise",
    "no other call changes: every one that counts was tried",
  ])
})

test("R16 a proposal says from what to what, who proposed it, and first what is looser", async () => {
  const open = await aGuarded()
  const text = yaml.replace("quorum: 2", "quorum: 1").replace("route: C0R", "route: C0S, quorum: 1")

  const shown = await shownOf(open, text)

  expect(shown).toMatchObject({
    from_revision: configRevisionOf(sharedOf(configOf(yaml))),
    to_revision: configRevisionOf(sharedOf(configOf(text))),
    proposed_by: { host: expect.any(String), file_sha256: configOf(text).fileHash },
    changes: [
      { key: "rules_change.quorum", before: "2", now: "1" },
      { key: "rules_change.route", before: "C0R", now: "C0S" },
      { key: "rules[all].quorum", before: "2", now: "1" },
    ],
  })
  expect(Object.keys(shown).indexOf("comparison")).toBeLessThan(Object.keys(shown).indexOf("changes"))
  expect(shown["comparison"]).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^looser +rules_change: /),
      expect.stringMatching(/^looser +all: /),
      expect.stringMatching(/^2 looser/),
    ]),
  )
})

test("R16 a key that was not set, or is not any more, has no value on that side", async () => {
  const open = await aGuarded()

  const shown = await shownOf(open, yaml.replace("quorum: 2,", "quorum: 2, risk: high,"))

  expect(shown["changes"]).toEqual([{ key: "rules[all].risk", now: "high" }])
})

test("R16 a start with the environment's config proposes nothing, and works under the active one", async () => {
  const open = await aGuarded()
  const config = load({ env: SOCKET_ENV })
  const said: unknown[] = []
  const log = { ...silentLog, warn: (event: string, fields?: object) => void said.push({ event, ...fields }) }
  const options = { config, clock: () => noon, activate: false, log } as unknown as BotOptions
  const current = { look: async () => null } as unknown as Current
  const waiting = createWaiting(config, open.store)

  await activate(options, { store: open.store } as unknown as Parts, { current, waiting })

  expect(said).toMatchObject([{ event: "config-needs-approval", kind: "from-environment" }])
  expect((await open.store.config.proposals.active()).proposals.list).toEqual([])
  expect(waiting.problem()).toContain("it moves instance main: the file of this replica has no such instance")
})

test("R16 a replica waits only while its file is not the active one, and says which instance it moves", async () => {
  const open = await aGuarded()
  const moved = configOf(yaml.replace("agents.example.com", "moved.example.com"))
  const waiting = createWaiting(moved, open.store)
  await open.store.config.obstacle()
  expect(waiting.problem()).toBeNull()

  waiting.begin()

  expect(waiting.problem()).toContain(
    "its file is not approved yet, and it moves instance main: the active config names",
  )
  const done = await proposeConfig({ config: moved, clock: () => noon }, open.store, false)
  if (done.kind !== "proposed") throw new Error("nothing was proposed")
  const verdict = { status: "approved", decision: "d-1", resolvedBy: "jane", data: null, at: noon } as const
  await open.store.config.proposals.resolve(done.proposal.id, verdict)
  await open.store.config.obstacle()
  expect(waiting.problem()).toBeNull()
})
