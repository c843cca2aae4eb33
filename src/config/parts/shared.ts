// What of a Config its revision covers (R16).
import { readDelegateKey } from "../../domain/delegated.ts"
import type { SharedConfig, SharedResolving } from "../../domain/shared-config.ts"
import type { Config } from "./assemble.ts"
import type { ResolvingConfig } from "./resolving.ts"

/** What of a config all replicas share, and its instances with what else they say. */
export type SharedSettings = Pick<Config, "rules" | "identities" | "resolvedBy" | "instances"> & {
  readonly slack: Pick<Config["slack"], "apiUrl" | "sandbox">
}

/** The part of a config that all replicas share. Never a token, a file, a port, a timeout or a pace. */
export function sharedOf({ rules, identities, resolvedBy, slack, instances }: SharedSettings): SharedConfig {
  return {
    rules,
    identities,
    resolvedBy,
    slack: { apiUrl: slack.apiUrl, sandbox: slack.sandbox },
    instances: instances.map(({ name, url, resolving, resume, rejectUserInput, besideAgnoSlack }) => ({
      name,
      url,
      resolving: sharedResolving(resolving),
      resume,
      rejectUserInput,
      ...(besideAgnoSlack ? { besideAgnoSlack } : {}),
    })),
  }
}

/** A key in a file may be replaced at any time, so its own id is the file's; that of a JWK that is given wins over `kid`, as where it signs. */
function sharedResolving(resolving: ResolvingConfig): SharedResolving {
  if (resolving.kind !== "delegated") return { kind: resolving.kind }
  const { algorithm, key, kid, audience, issuer } = resolving
  const given = key.kind === "given" ? readDelegateKey(key.value, algorithm) : null
  const own = given?.ok === true ? given.kid : null
  return { kind: "delegated", algorithm, kid: own ?? kid ?? null, audience: audience ?? null, issuer: issuer ?? null }
}
