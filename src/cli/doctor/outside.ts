// The doctor on what is kept outside Redis: by it a start knows that Redis holds the newest records (R14, R17).
import { accessSync, constants, existsSync } from "node:fs"
import { dirname } from "node:path"
import type { Config } from "../../config.ts"
import { marksFolder } from "../../proof/marks.ts"
import { type Finding, notesOn } from "./finding.ts"

/** Looks where checkpoints are kept, and whether marks can be; makes no folder. */
export function lookOutside({ ledger, dataFolder }: Pick<Config, "ledger" | "dataFolder">): readonly Finding[] {
  return [checkpoints(ledger), marks(marksFolder(dataFolder))]
}

function checkpoints({ checkpointFile, auditChannel, requireCheckpoint }: Config["ledger"]): Finding {
  const notes = notesOn("ledger")
  const places = [checkpointFile, auditChannel === null ? null : `channel ${auditChannel}`].filter(
    (one) => one !== null,
  )
  if (places.length > 0) return notes.ok(`checkpoints are kept in ${places.join(" and ")}`)
  const what = "no checkpoint of the ledger is kept outside Redis"
  const todo =
    "set ledger.checkpoint_file to a file on a volume that outlives the process and that all replicas share, or set ledger.audit_channel"
  if (requireCheckpoint)
    return notes.fail({ what, why: "ledger.require_checkpoint is set: every start but the first would end", todo })
  const why =
    "a start cannot tell that Redis was rolled back: it believes what Redis says of rules and links, and may ask people again for every open case"
  return notes.warn({ what, why, todo })
}

function marks(folder: string): Finding {
  const notes = notesOn("marks")
  const obstacle = obstacleTo(folder)
  if (obstacle === null) return notes.ok(`what each process knows of the ledger is noted in ${folder}`)
  const why = "what a process knew of the ledger is lost when it crashes: people may be asked again for every open case"
  const todo = "make data_folder writable for the user that Countersign runs as; an emptyDir will do"
  return notes.warn({ what: `${folder} cannot be written: ${obstacle}`, why, todo })
}

/** Why nothing can be written into a folder, or the folder not be made; null if it can. */
function obstacleTo(folder: string): string | null {
  if (!existsSync(folder) && dirname(folder) !== folder) return obstacleTo(dirname(folder))
  try {
    // With the dot a file in its place is found too.
    accessSync(`${folder}/.`, constants.W_OK | constants.X_OK)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
