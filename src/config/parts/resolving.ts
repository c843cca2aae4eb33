// The credential of decisions, where it is not the one that approvals are read with: its keys, checks and Config.
import { resolve } from "node:path"
import { type DelegateAlgorithm, isReservedSubject, readDelegateKey } from "../../domain/delegated.ts"
import type { Report } from "../checks/slack-checks.ts"
import type { Problem } from "../reading/problems.ts"
import type { Settings } from "../schema/schema.ts"

/** What resolves go out with: `same` as everything else, another fixed credential, or one signed for each decision. */
export type ResolvingConfig =
  | { readonly kind: "same" }
  | { readonly kind: "token"; readonly token: string }
  | ({ readonly kind: "delegated" } & DelegatedConfig)

/** How delegated tokens are signed. */
export interface DelegatedConfig {
  readonly algorithm: DelegateAlgorithm
  /** A key by its text, or the absolute path of a file that is read anew for each token. */
  readonly key: { readonly kind: "given"; readonly value: string } | { readonly kind: "file"; readonly path: string }
  readonly kid: string | undefined
  readonly audience: string | undefined
  readonly issuer: string | undefined
}

type Instance = Settings["instances"][number]

/** The Config of an instance's resolving, checked before by `checkResolving`. */
export function resolvingOf({ resolve_token, delegated }: Instance, cwd: string): ResolvingConfig {
  if (resolve_token !== undefined) return { kind: "token", token: resolve_token }
  if (delegated === undefined) return { kind: "same" }
  const { algorithm, key, key_file, kid, audience, issuer } = delegated
  const place: DelegatedConfig["key"] =
    key === undefined ? { kind: "file", path: resolve(cwd, key_file ?? "") } : { kind: "given", value: key }
  return { kind: "delegated", algorithm, key: place, kid, audience, issuer }
}

/** What a check reads files with, as `ConfigOptions` has it. */
export interface KeyPlaces {
  readonly readFile: (path: string) => string
  readonly cwd: string
}

/** One way to resolve at most, a key that can sign, and no listed subject that the platform keeps for itself. */
export function checkResolving(settings: Settings, places: KeyPlaces, report: Report): readonly Problem[] {
  const { instances, identities = [] } = settings
  const delegates = instances.some(({ delegated }) => delegated !== undefined)
  const reserved = identities.flatMap(({ subject }, index) => (isReservedSubject(subject) ? [index] : []))
  return [
    ...instances.flatMap((instance, index) => checkInstance(instance, index, { places, report })),
    ...(delegates ? reserved : []).map((index) =>
      report(["identities", index, "subject"], "is reserved by the platform, which takes no delegated token for it"),
    ),
  ]
}

function checkInstance(
  { resolve_token, delegated }: Instance,
  index: number,
  { places, report }: { readonly places: KeyPlaces; readonly report: Report },
): readonly Problem[] {
  if (delegated === undefined) return []
  const at = ["instances", index, "delegated"]
  if (resolve_token !== undefined) return [report(at, "stands beside resolve_token; decisions go out with one of them")]
  const { algorithm, key, key_file } = delegated
  if (key !== undefined && key_file !== undefined)
    return [report([...at, "key_file"], "stands beside key; say one of them")]
  if (key !== undefined) return keyProblem(key, algorithm, (what) => report([...at, "key"], what))
  if (key_file === undefined) return [report(at, "needs key, from the environment, or key_file")]
  const atFile = (what: string) => report([...at, "key_file"], what)
  const text = textAt(places, key_file)
  return text === null ? [atFile("names a file that cannot be read")] : keyProblem(text, algorithm, atFile)
}

function keyProblem(text: string, algorithm: DelegateAlgorithm, report: (what: string) => Problem): readonly Problem[] {
  const found = readDelegateKey(text, algorithm)
  return found.ok ? [] : [report(found.why)]
}

/** The text of a file that the config names; null if it cannot be read. */
export function textAt({ readFile, cwd }: KeyPlaces, path: string): string | null {
  try {
    return readFile(resolve(cwd, path))
  } catch {
    return null // whatever is wrong with it, the operator sees which file it is
  }
}
