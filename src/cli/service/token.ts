// countersign token: makes a token for development, inspects one, and explains what it opens.
import { randomBytes } from "node:crypto"
import { defaultAdminScope } from "../../auth/scopes.ts"
import { signToken } from "../../auth/sign-token.ts"
import type { Algorithm } from "../../auth/verification-keys.ts"
import { bootstrapAccount } from "../../service/accounts/mint-account.ts"
import { createRoutes, readScopeMappings } from "../../service/gate/routes.ts"
import { openDatabase } from "../../service/storage/database.ts"
import { type Given, gather, type OptionPlaces, type OptionRow, readYaml } from "../options.ts"
import { CommandError, type Terminal } from "../terminal.ts"
import { databaseFile, keyInFile, keyText, toServiceOptions } from "./service-options.ts"
import { servicePrefix } from "./service-rows.ts"
import { explainWords, inspectWords, tokenFacts } from "./token-facts.ts"
import { explainRows, inspectRows, mintRows } from "./token-options.ts"

/** Where to find the options: flags as commander gives them, and the service's own variables. */
export interface TokenPlaces extends Pick<OptionPlaces, "flags" | "env"> {
  /** Now, in epoch ms. */
  readonly clock: () => number
}

/** `token mint`: prints a JWT signed by `--key`, or a new service account's token. Throws `CommandError`. */
export async function mintToken(terminal: Terminal, places: TokenPlaces): Promise<void> {
  const given = readOptions(mintRows, places)
  const name = given.text("account")
  terminal.out(name === undefined ? await signedToken(given, places.clock) : accountToken(name, given, places.clock))
}

/** `token inspect`: prints what a token says and, with keys, whether it is true. */
export async function inspectToken(terminal: Terminal, token: string, places: TokenPlaces): Promise<void> {
  const facts = await tokenFacts(token, readOptions(inspectRows, places), places.clock)
  for (const line of inspectWords(facts, places.clock())) terminal.out(line)
}

/** `token explain`: prints what `inspect` prints, which routes the token opens, and what the bot cannot do with it. */
export async function explainToken(terminal: Terminal, token: string, places: TokenPlaces): Promise<void> {
  const given = readOptions(explainRows, places)
  const facts = await tokenFacts(token, given, places.clock)
  for (const line of inspectWords(facts, places.clock())) terminal.out(line)
  const scopes = facts.kind === "jwt" ? facts.decoded.scopes : facts.account?.scopes
  if (scopes === undefined || (facts.kind === "jwt" && facts.verdict?.ok === false)) {
    return terminal.out("opens nothing")
  }
  const { scopeMappings = {}, a2aPrefix, adminScope = defaultAdminScope } = toServiceOptions(given, places.clock)
  const routes = createRoutes({ scopeMappings, ...(a2aPrefix === undefined ? {} : { a2aPrefix }) })
  for (const line of explainWords(scopes, routes, adminScope)) terminal.out(line)
}

function readOptions(rows: readonly OptionRow[], { flags, env }: TokenPlaces): Given {
  return gather(rows, { flags, env, prefix: servicePrefix })
}

async function signedToken(given: Given, clock: () => number): Promise<string> {
  const { algorithm = "RS256", tokens } = toServiceOptions(given, clock)
  return signToken({
    algorithm,
    key: signingKey(given, algorithm),
    kid: given.text("kid"),
    subject: given.text("subject"),
    scopes: given.texts("scope") ?? [],
    scopesClaim: tokens?.scopesClaim,
    audience: tokens?.audience,
    issuer: tokens?.issuer?.[0],
    issuedAt: Math.floor(clock() / 1000),
    lifeSeconds: given.integer("expires-in-seconds") ?? 3600,
  })
}

function signingKey(given: Given, algorithm: Algorithm): string {
  const [key, file] = [given.text("key"), given.text("key-file")]
  if (key !== undefined && file !== undefined) throw new CommandError("key-file: stands beside key; give only one")
  if (file !== undefined) return keyInFile("key-file", file)
  if (key === undefined) throw new CommandError("key: name the private key, or for HS256 the secret, to sign with")
  return keyText("key", key, algorithm)
}

function accountToken(name: string, given: Given, clock: () => number): string {
  const mappings = given.text("scope-mappings")
  const ownScopes = mappings === undefined ? [] : Object.values(readScopeMappings(readYaml(mappings))).flat()
  const settings = { adminScope: given.text("admin-scope") ?? defaultAdminScope, ownScopes: new Set(ownScopes) }
  const expiresInDays = given.isOn("never-expires") ? null : (given.integer("expires-in-days") ?? 90)
  const account = { name, scopes: given.texts("scope") ?? [], expiresInDays }
  const database = openDatabase(databaseFile(given))
  try {
    return bootstrapAccount({ database, clock, random: randomBytes, settings }, account)
  } finally {
    database.close()
  }
}
