// What somebody who reads all of Redis learns: nothing of arguments, values, results and response URLs (R15).
import { expect, test, vi } from "vitest"
import { castVote } from "../../src/domain/case/steps.ts"
import { decide } from "../../src/domain/case/verdict.ts"
import type { Vote } from "../../src/domain/case/vote.ts"
import { anApproval, committedCase, noon, openStore } from "../store/support.ts"
import { limitMs } from "../support/limits.ts"
import { aPress, everythingIn, openQueue, PassingError, stepsWith } from "./support.ts"

const secrets = {
  argument: "argument-4711",
  key: "key-of-argument-4711",
  requirement: "requirement-4711",
  context: "context-4711",
  value: "value-4711",
  reply: "https://hooks.slack.com/actions/T1/4711",
  error: "error-4711",
}

function aVote(installation: string, caseId: string, digest: string): Vote {
  return {
    installation,
    caseId,
    revision: 1,
    digest,
    rules: [],
    person: { team: "T1", user: "U1" },
    name: "Ann",
    subject: "ann@example.com",
    verb: "approve",
    reason: null,
    values: { note: secrets.value },
    revealed: false,
    surface: "form",
    interaction: "i-1",
    at: noon,
    mac: "m",
  }
}

test("R15 no key and no value in Redis shows what a call, a form or a ticket holds", async () => {
  const open = await openStore()
  const { queue, tickets, prefix, logged } = await openQueue({ installation: open.installation, ticketDelayMs: 0 })
  const current = await committedCase(
    open,
    anApproval({
      toolArgs: { [secrets.key]: secrets.argument },
      requirements: [{ user_input_schema: [{ name: secrets.requirement }] }],
      context: { note: secrets.context },
    }),
  )
  const vote = aVote(open.installation, current.id, current.revision.digest)
  const voted = castVote(current, vote, [])
  const decision = { id: "d-1", verb: "approve", votes: [vote], at: noon } as const
  const decided = decide(voted.next, decision, JSON.stringify({ values: secrets.value }))
  const done = await open.store.cases.commit({ ...decided, expectedVersion: 1, interaction: "i-1" })
  await queue.startWorkers(stepsWith({ ticket: () => Promise.reject(new PassingError(secrets.error)) }))
  await tickets.write(
    aPress({
      values: { note: secrets.value },
      replyTo: { kind: "response", responseUrl: secrets.reply, channel: "C1", user: "U1" },
    }),
  )
  await vi.waitFor(() => expect(logged.map(([event]) => event)).toContain("job-delayed"), { timeout: limitMs })

  const everything = await everythingIn(open.connection, open.store.keys.tag)

  expect(done.kind).toBe("committed")
  expect(everything).toContain(prefix)
  expect(everything).toContain("ticket")
  for (const secret of Object.values(secrets)) expect(everything).not.toContain(secret)
  for (const secret of Object.values(secrets)) expect(everything).not.toContain(Buffer.from(secret).toString("base64"))
})
