// Where we keep checkpoints: in a file that only grows, and in the log.
import { appendFile, mkdir } from "node:fs/promises"
import { dirname } from "node:path"
import type { Log } from "../flow/ports.ts"
import type { CheckpointSink } from "./checkpointer.ts"

/** Appends each checkpoint to a file (mode 600), one JSON line each. If a line fails, it comes with the next one. */
export function createFileSink(path: string): CheckpointSink {
  let waiting = ""
  return {
    name: path,
    readable: true,
    write: async ({ signed, sealed, leaves }) => {
      const hashes = leaves.map((leaf) => leaf.toString("base64url"))
      waiting += `${JSON.stringify({ checkpoint: signed, leaves: hashes, sealed })}\n`
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await appendFile(path, waiting, { mode: 0o600 })
      waiting = ""
    },
  }
}

/** Logs each checkpoint, flattened (RFC 7515, section 7.2.2), because logs remove what looks like a token. */
export function createLogSink(log: Log): CheckpointSink {
  return {
    name: "log",
    readable: false,
    write: async ({ signed, size, root, at }) => {
      const [head, payload, signature] = signed.split(".")
      log.info("ledger-checkpoint", { size, root, at, signed: { protected: head, payload, signature } })
    },
  }
}
