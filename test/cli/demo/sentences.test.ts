// What the demo's cards say first: a sentence about each call that its script makes.
import { expect, test } from "vitest"
import { demoScript } from "../../../src/cli/demo/script.ts"
import { demoConfig } from "../../../src/cli/demo/setting.ts"
import { loadConfig } from "../../../src/config.ts"
import type { JsonObject } from "../../../src/domain/content/json.ts"
import { lookOf } from "../../../src/domain/policy/look.ts"
import { plainWords } from "../../../src/slack/lines/spans.ts"
import { sentenceOf } from "../../../src/slack/text/case/headline.ts"
import { aCardModel, anApproval } from "../../slack/card-models.ts"

const config = loadConfig({
  env: {
    COUNTERSIGN_CONFIG: "demo.yaml",
    SLACK_BOT_TOKEN: "xoxb-1",
    SLACK_APP_TOKEN: "xapp-1",
    PLATFORM_URL: "http://127.0.0.1:7777",
    PLATFORM_TOKEN: "cs_sa_a-credential-of-the-demo",
    RESUME_TOKEN: "another-credential-of-the-demo",
    READ_KEY: "0123456789abcdef0123456789abcdef",
  },
  readFile: () => demoConfig("/srv/demo"),
  cwd: "/srv",
})

interface Asker {
  readonly id: string
  readonly tools?: readonly { readonly name: string; readonly gated?: boolean | undefined }[] | undefined
  readonly runs?: readonly object[] | undefined
}

interface ScriptedCall {
  readonly tool?: string
  readonly args?: JsonObject
}

/** The first call of each gated tool of an agent or a team. */
function callsOf({ tools, runs }: Asker) {
  const all = (runs ?? []).flatMap((run) => ("turns" in run ? (run.turns as ScriptedCall[][]).flat() : []))
  const gated = (tools ?? []).filter((tool) => tool.gated)
  return gated.map(({ name }) => ({ toolName: name, toolArgs: all.find(({ tool }) => tool === name)?.args ?? null }))
}

const calls = [
  ...(demoScript.agents ?? []).flatMap((one) => callsOf(one).map((call) => ({ ...call, agentId: one.id }))),
  ...(demoScript.teams ?? []).flatMap((one) =>
    callsOf(one).map((call) => ({ ...call, agentId: null, teamId: one.id, sourceType: "team" })),
  ),
]

test("each tool of the demo has a sentence, which says the point", () => {
  const said = calls.map((call) => {
    const approval = anApproval({ ...call, requirements: null })
    const found = sentenceOf(aCardModel(approval, { look: lookOf(approval, config.rules) }), 0)
    return found === null ? `${call.toolName}: none` : plainWords(found.ok ? found.line : found.why)
  })

  expect(said).toMatchInlineSnapshot(`
    [
      "Refund 129.9 EUR for the invoice INV-2041 (charged twice)",
      "Pay out 1200 EUR to the account DE89 3704 0044 0532 0130 00",
      "Pay 310 EUR to Nordwind Paper GmbH, account DE02 1203 0000 0000 2020 51",
      "Pay the invoice NP-5512 of Nordwind Paper GmbH",
      "Delete the data of user U-100",
      "Delete the database orders_2019 on db-eu-2 (keep a backup: false)",
      "Move the service shop from eu-1 to eu-2",
      "Replace the key of the service mail-worker",
      "Empty the cache of the service shop in eu-1",
      "Renew the certificate of shop.example.com for 90 days",
      "Restart the service checkout in eu-central-1",
      "Restart the service worker-1001 in eu-central-1",
      "Send customer C-8813 a voucher of 25 EUR",
      "Give customer C-2001 a credit of 60 EUR",
      "Run an SQL statement on the database shop",
      "Send the list of our customers to https://crm.example.com/import",
      "Mail bank details to partner@example.org",
      "Send the newsletter Last chance! to all customers, 40000 copies",
      "Close the account of customer C-4417 (asked by e-mail)",
    ]
  `)
})
