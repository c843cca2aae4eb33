// The doctor on what Redis holds of us: is the installation sealed with our key (R14), and are these rules the active ones (R16).
import { personKey } from "../../domain/person.ts"
import { policyOf } from "../../domain/policy.ts"
import { createSeal } from "../../domain/seal.ts"
import type { StoreConnection } from "../../store/connection.ts"
import { StoreError } from "../../store/errors.ts"
import type { PinView } from "../../store/pins.ts"
import { type InstallationPlace, probeInstallation, probePins, probeRevision } from "../../store/probe.ts"
import { type Finding, notesOn } from "./finding.ts"
import type { RedisOptions } from "./redis.ts"

const notes = notesOn("redis")

/** Looks at the installation. Without a key any that is there was made with one that is lost; a passing one only asks. */
export async function lookAtInstallation(
  { config, key, random }: Pick<RedisOptions, "config" | "key" | "random">,
  connection: StoreConnection,
): Promise<readonly Finding[]> {
  const { installation, rules, identities } = config
  const seal = createSeal({ key: key ?? random(32), installation, nonce: () => random(12) })
  const place = { connection, installation, seal }
  try {
    const found = await probeInstallation(place)
    if (found === "absent") return [notes.ok(`installation ${installation} is not there yet: the first start makes it`)]
    const ours = notes.ok(`installation ${installation} is sealed with our key`)
    const pins = await probePins(place)
    return [ours, await lookAtRevision(place, policyOf(rules, identities).revision), ...pins.flatMap(lookAtPin)]
  } catch (error) {
    if (!(error instanceof StoreError) || error.retryable) throw error
    return [refused(error)]
  }
}

/** An address that was seen to mean somebody else counts for nobody (R7). */
function lookAtPin({ email, person, contested }: PinView): readonly Finding[] {
  if (contested === null) return []
  const [was, now] = [personKey(person), personKey(contested)]
  return [
    notesOn("people").fail({
      what: `${email} was pinned to ${was}, and Slack says that it means ${now}`,
      why: "whoever took over an address could decide in a person's place, so neither of them decides by it",
      todo: `if it is right, run countersign people link ${email} ${now}; else mend the address in Slack, and link ${was} again`,
    }),
  ]
}

function refused({ message }: StoreError): Finding {
  return notes.fail({
    what: message,
    why: "what another key sealed, or somebody changed, counts as forged: Countersign refuses to start",
    todo: "set COUNTERSIGN_KEY to the key of this installation, or give this one another name (installation)",
  })
}

async function lookAtRevision(place: InstallationPlace, revision: string): Promise<Finding> {
  switch (await probeRevision(place, revision)) {
    case "active":
      return notes.ok("these rules are the active ones")
    case "new":
      return notes.ok("these rules are not active yet: the next start makes them so")
    case "replaced":
      return notes.fail({
        what: "these rules were active earlier, and others have replaced them",
        why: "an old file could take a stricter rule away, so Countersign refuses to start with it",
        todo: "use the newer rules, or start once with countersign run --activate",
      })
  }
}
