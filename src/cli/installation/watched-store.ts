// Opens the store for commands that grant something: checks how old Redis is, and has a checkpoint cover the change.
import { randomBytes } from "node:crypto"
import type { ConfigNeed } from "../../config.ts"
import { createSeal, type Seal } from "../../domain/proof/seal.ts"
import { createBounds } from "../../proof/bounds.ts"
import { createFileSink } from "../../proof/checkpoint-sinks.ts"
import { createCheckpointer } from "../../proof/checkpointer.ts"
import { marksFolder, readOnlyMarks } from "../../proof/marks.ts"
import type { Audit } from "../../slack/chat/audit-channel.ts"
import { StoreError } from "../../store/errors.ts"
import type { Terminal } from "../terminal.ts"
import { openAudit } from "./ask-slack.ts"
import { openSigner } from "./context.ts"
import { type Opened, withStore } from "./opened-store.ts"

/** An installation whose ledger we read to the end, and compared with what is known outside Redis. */
export interface Watched extends Opened {
  /** Waits until a checkpoint outside Redis covers what the command did. If there is no place for one, says so. */
  readonly keep: () => Promise<void>
}

/** How long we wait for a checkpoint, in ms. An entry is covered only after five seconds. */
const keepMs = 20_000

/** Opens the store of a command that grants something. Throws `StoreError` `behind` if Redis was rolled back. */
export async function withWatchedStore<Result>(
  terminal: Terminal,
  command: (watched: Watched) => Promise<Result>,
  {
    rolledBack = "refused",
    need = "store",
  }: { readonly rolledBack?: "refused" | "allowed"; readonly need?: ConfigNeed } = {},
): Promise<Result> {
  const watched = async (opened: Opened): Promise<Result> => {
    const { context, store } = opened
    const { config, clock, key, random } = context
    const seal = createSeal({ key, installation: config.installation, nonce: () => random(12) })
    const audit = await openAudit(terminal, context)
    const alarm = ({ code, ...fields }: { readonly code: string }) =>
      terminal.err(`note: ${code} ${JSON.stringify(fields)}`)
    const { installation, dataFolder, ledger } = config
    await store.freshness.start({
      replica: `command-${randomBytes(4).toString("hex")}`,
      clock,
      now: () => performance.now(),
      alarm,
      bounds: createBounds({ seal, installation, file: ledger.checkpointFile, audit, alarm }),
      marks: readOnlyMarks({ folder: marksFolder(dataFolder), installation, seal }),
      requireCheckpoint: false,
      visitor: true,
    })
    try {
      const standing = store.freshness.standing()
      if (standing.kind === "rolled-back" && rolledBack === "refused")
        throw new StoreError(
          "behind",
          `Redis is older than what is known of it: ${standing.why}. countersign ledger accept shows what there is`,
        )
      return await command({ ...opened, keep: () => keep(terminal, opened, { seal, audit }) })
    } finally {
      await store.freshness.close()
    }
  }
  return withStore(terminal, watched, need)
}

async function keep(
  terminal: Terminal,
  { context, store }: Opened,
  { seal, audit }: { readonly seal: Seal; readonly audit: Audit | null },
): Promise<void> {
  const { config, clock } = context
  const { checkpointFile: file, checkpointMs: everyMs, checkpointEntries: everyEntries } = config.ledger
  const sinks = [...(file === null ? [] : [createFileSink(file)]), ...(audit === null ? [] : [audit])]
  if (sinks.length === 0) return terminal.err("note: no checkpoint is kept outside Redis: set ledger.checkpoint_file")
  const { feed } = store.freshness
  const alarm = ({ code }: { readonly code: string }) => terminal.err(`note: ${code}`)
  const common = { installation: config.installation, feed, seal, receipts: await openSigner(context), clock, alarm }
  const checkpointer = createCheckpointer({ ...common, sinks, everyMs, everyEntries })
  terminal.err("waiting until a checkpoint outside Redis covers this, some 6 seconds")
  if (!(await checkpointer.cover(keepMs)))
    throw new StoreError("unsettled", "no checkpoint covers this yet: it counts, and the next one will")
}
