// Proposes the config of a file, where the active one has `rules_change`: what people are shown of it, and who says so.
import { hostname } from "node:os"
import { type Config, changedKeys, sharedOf } from "../config.ts"
import type { JsonObject } from "../domain/content/json.ts"
import { configRevisionOf, elsewhereFor, type SharedConfig } from "../domain/policy/shared-config.ts"
import { notRead, otherVersion } from "../store/config/config-record.ts"
import type { Proposed } from "../store/config/proposal-book.ts"
import { StoreError } from "../store/errors.ts"
import type { Store } from "../store/store.ts"

/** More lines than this of what is compared are left out: the changed keys below them are whole. */
const maxCompared = 30

/** Proposes what a config says. `again`: an operator asks for it. Throws `StoreError`. */
export async function proposeConfig(
  { config, clock }: { readonly config: Config; readonly clock: () => number },
  { config: revision }: Pick<Store, "config">,
  again: boolean,
): Promise<Exclude<Proposed, { kind: "moved" }>> {
  const shared = sharedOf(config)
  const { shared: active, unread = "", revision: from } = await revision.proposals.active()
  if (active === null) throw new StoreError("config-unreadable", `${notRead(unread)}: ${otherVersion}`)
  const by = { host: hostname(), file: config.fileHash }
  const shown = from === configRevisionOf(shared) ? {} : await shownOf(active, shared, by)
  const done = await revision.proposals.propose({ shared, from, shown, ...by, at: clock(), again })
  return done.kind === "moved" ? proposeConfig({ config, clock }, { config: revision }, again) : done
}

/**
 * What people decide about: the revisions, who proposed, and each key that is other, old and new. Above the keys, as
 * help: which calls are decided otherwise; what is looser comes first.
 */
async function shownOf(
  active: SharedConfig,
  wanted: SharedConfig,
  { host, file }: { readonly host: string; readonly file: string | null },
): Promise<JsonObject> {
  // Only who proposes compares rules, so a start without a proposal does not load this.
  const { compareConfigs, comparisonWords } = await import("../cli/policy/diff-words.ts")
  const lines = comparisonWords(compareConfigs(active, wanted))
  const compared = lines.length <= maxCompared ? lines : [...lines.slice(0, maxCompared), leftOut(lines.length)]
  return {
    from_revision: configRevisionOf(active),
    to_revision: configRevisionOf(wanted),
    proposed_by: { host, ...(file === null ? { config: "the environment" } : { file_sha256: file }) },
    comparison: compared,
    changes: changedKeys(active, wanted).map(({ path, before, after }) => ({
      key: path,
      ...(before === null ? {} : { before }),
      ...(after === null ? {} : { now: after }),
    })),
  }
}

function leftOut(lines: number): string {
  return `and ${lines - maxCompared} more lines: countersign policy diff prints all`
}

/** A replica whose file waits for approval. */
export interface Waiting {
  /** From now on the file waits. */
  readonly begin: () => void
  /** Why this replica is not ready: its file moves an instance. Null if it does not, or waits no more. */
  readonly problem: () => string | null
}

/** Makes `Waiting`: a rolling update keeps the replicas that can serve every instance of the active config. */
export function createWaiting(config: Config, store: Pick<Store, "config">): Waiting {
  const file = sharedOf(config)
  const own = configRevisionOf(file)
  let waits = false
  return {
    begin: () => {
      waits = true
    },
    problem: () => {
      const active = store.config.active()
      if (!waits || active === null) return null
      waits = active.revision !== own
      const [moved] = waits ? elsewhereFor(file, active.shared) : []
      if (moved === undefined) return null
      return `its file is not approved yet, and it moves instance ${moved.instance}: ${moved.why}`
    },
  }
}
