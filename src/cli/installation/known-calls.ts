// Compares the conditions of rules with the calls that the instances know.

import type { Remark } from "../../config/parts/credential.ts"
import type { Config } from "../../config.ts"
import type { Approval } from "../../domain/content/approval.ts"
import { type OddLook, oddLooks } from "../../domain/policy/known-calls.ts"
import { isPortError } from "../../flow/ports.ts"
import { createPlatformClient } from "../../platform/client.ts"

/** A remark on one rule. */
export type RuleRemark = Remark & { readonly rule: string }

/**
 * A remark for each argument that a condition looks at, if no known call has it, or if its type in all calls is not
 * what the condition wants. Known calls are those of each instance's newest approvals: up to 100 pending, approved and
 * rejected ones. An instance that does not answer is left out. If no rule has a condition, asks nobody.
 */
export async function remarksOnCalls({
  instances,
  rules,
}: Pick<Config, "instances" | "rules">): Promise<readonly RuleRemark[]> {
  if (!rules.some(({ when }) => when !== undefined)) return []
  const known = await Promise.all(instances.map(approvalsOf))
  return oddLooks(rules, known.flat()).map((look) => ({ rule: look.rule, ...remarkOf(look) }))
}

async function approvalsOf({ name, url, token, timeoutMs, way }: Config["instances"][number]) {
  const platform = createPlatformClient({ name, url, token, timeoutMs, way })
  const found: Approval[] = []
  try {
    for await (const { approvals } of platform.pending()) {
      for (const one of approvals.map((listed) => listed.read())) found.push(one)
      break
    }
    for (const one of await platform.approved()) found.push(one)
    for (const one of await platform.rejected()) found.push(one)
  } catch (error) {
    if (!isPortError(error)) throw error
  } finally {
    await platform.close()
  }
  return found
}

function remarkOf({ path, calls, why }: OddLook): Remark {
  const among = `${calls} newest calls that it is for`
  const effect = "nobody can tell then whether its condition holds, so the rule is asked each time"
  if (why.kind === "other")
    return {
      what: `it wants ${why.wants} of ${path}, which is ${why.is} in all of the ${among}`,
      why: effect,
      todo: `ask for ${why.is} there`,
    }
  const todo = why.similar === null ? "correct the name" : `correct the name: they have ${why.similar}`
  return { what: `it looks at ${path}, which is in none of the ${among}`, why: effect, todo }
}
