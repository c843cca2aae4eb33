// The main story on the installed package, as its user runs it, beside the same story on the source: what people read
// is the same to the byte.
import { beforeAll, describe, expect, test } from "vitest"
import { actionIds } from "../../src/slack/ids.ts"
import { program } from "../cli/command.ts"
import { testMs } from "../support/limits.ts"
import { falseMask, hostileAgent, type Played, playOnPackage, withoutNumbers } from "./played.ts"

const source = new URL("../../src/cli/main.ts", import.meta.url).pathname

describe.each(["socket", "http"] as const)("in %s mode", (mode) => {
  let played: Played
  beforeAll(async () => {
    played = await playOnPackage(program, mode)
  }, 2 * testMs)

  test("the installed service, bot and commands carry the main story through", () => {
    const { doctor, verify, conformance, run } = played.commands

    expect(played.record).toEqual({ status: "approved", resolved_by: "alice@sandbox.example", tool_name: "pay_bill" })
    expect(played.cards["approved"]).toContain("Approved")
    expect(played.cards["rejected"]).toMatch(/^✕ Rejected by /)
    expect(played.cards["rejected"]).toContain("password: ▒▒▒▒ 8 characters masked ▒▒▒▒")
    expect([doctor?.code, verify?.code, conformance?.code, run?.code]).toEqual([0, 0, 0, 0])
    expect(conformance?.out).toContain(" 0 deviate")
    expect(played.page[1]).toContain("<bdi>name_itself</bdi>")
  })

  test("R4 hostile texts lead to Details on the installed bot, and look like nothing of ours", () => {
    const { buttons, cards } = played

    for (const card of ["named", "masked"]) {
      expect(buttons[card]).toContain(actionIds.details)
      expect(buttons[card]).not.toContain(actionIds.approve)
    }
    expect(cards["named"]).not.toContain(hostileAgent)
    expect(cards["masked"]).not.toContain(falseMask)
  })

  test("cards, the auditor's page and the commands say to the byte what those of the source say", async () => {
    const meant = await playOnPackage(source, mode)

    expect(withoutNumbers(played)).toEqual(withoutNumbers(meant))
    expect(JSON.stringify(played)).not.toMatch(/[ÂÃâ\uFFFD]/)
  })
})
