// The approval that an operator means: a record in a file, or one that an instance has now.
import { existsSync, readFileSync } from "node:fs"
import { type Config, isStandIn } from "../../config.ts"
import type { Approval } from "../../domain/content/approval.ts"
import { isJsonObject, type Json, parseJson } from "../../domain/content/json.ts"
import { createPlatformClient } from "../../platform/client.ts"
import { readItem } from "../../platform/contract.ts"
import { CommandError } from "../terminal.ts"

/** Reads an approval: a file with the answer of `GET /approvals/{id}`, or `instance/id`. Throws `CommandError`. */
export async function findApproval(config: Pick<Config, "instances">, where: string): Promise<Approval> {
  if (existsSync(where)) return approvalIn(config, parsed(where), where)
  const [, name, id] = /^([^/]+)\/(.+)$/.exec(where) ?? []
  const instance = config.instances.find((one) => one.name === name)
  if (instance === undefined || id === undefined)
    throw new CommandError(`${where} is neither a file nor an approval of one of our instances (instance/id)`)
  const { url, token, timeoutMs, way } = instance
  if (isStandIn(url)) throw new CommandError(`${name} cannot be asked: its address (PLATFORM_URL) is not set`)
  const platform = createPlatformClient({ name: instance.name, url, token, timeoutMs, way })
  try {
    const approval = await platform.get(id)
    if (approval === null) throw new CommandError(`${instance.name} knows no approval ${id}`)
    return approval
  } finally {
    await platform.close()
  }
}

function parsed(file: string): Json {
  try {
    return parseJson(readFileSync(file, "utf8"))
  } catch (cause) {
    throw new CommandError(`${file} is no JSON`, { cause })
  }
}

/** A record as an approval. Ids, status and source may be missing. Throws `CommandError` that names `where`. */
export function approvalIn({ instances }: Pick<Config, "instances">, record: Json, where: string): Approval {
  const base = { id: "example", run_id: "example", session_id: "example", status: "pending", source_type: "agent" }
  const whole = isJsonObject(record) ? { ...base, ...record } : record
  const { instance } = { instance: instances[0]?.name ?? "default", ...instanceOf(record) }
  const item = readItem(instance, whole)
  if (item.kind === "approval") return item.approval
  throw new CommandError(`${where} is no approval: ${item.why}`)
}

/** The instance that a record names: an example may name it, a record of the platform does not. */
function instanceOf(record: Json): { readonly instance?: string } {
  const named = isJsonObject(record) ? record["instance"] : undefined
  return typeof named === "string" ? { instance: named } : {}
}
