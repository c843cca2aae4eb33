// Notices: tells in a case's thread what came to light about its run, once, however many replicas see it.
import { type Notice, notice } from "../../domain/case/notice.ts"
import type { Ports } from "../ports.ts"
import { advance, readCase } from "./commit.ts"

export type NoticePorts = Pick<Ports, "store" | "alarm" | "clock" | "jobs">

/** Tells a notice. True if we told it just now, and also if its case is gone or frozen. */
export async function tellNotice(ports: NoticePorts, caseId: string, told: Notice): Promise<boolean> {
  const current = await readCase(ports, caseId)
  if (current === null || current === "frozen") return true
  const done = await advance(ports, current, (now) => notice(now, told))
  if (done.kind !== "committed") return false
  await ports.jobs.present(caseId)
  return true
}
