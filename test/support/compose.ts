// Reads compose.yaml as `docker compose` does: variables from .env and the shell, what each container gets, and in
// which order containers start.
import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseEnv } from "node:util"
import { parse } from "yaml"
import { z } from "zod"

const pairs = z.record(z.string(), z.string().nullable())
const fileOfVariables = z.strictObject({ path: z.string(), required: z.boolean().optional() })
const published = z.string().regex(/^127\.0\.0\.1:\d+:\d+$/)

/** Every key that our file may use. Another one is an error here, so that none is passed over. */
const serviceSchema = z.strictObject({
  profiles: z.array(z.string()).default([]),
  build: z.string().optional(),
  image: z.string(),
  restart: z.literal("unless-stopped"),
  init: z.boolean().default(false),
  read_only: z.boolean().default(false),
  cap_drop: z.array(z.literal("ALL")).default([]),
  security_opt: z.array(z.literal("no-new-privileges:true")).default([]),
  tmpfs: z.array(z.string()).default([]),
  depends_on: z.record(z.string(), z.strictObject({ condition: z.literal("service_healthy") })).default({}),
  env_file: z.array(fileOfVariables).default([]),
  environment: pairs.default({}),
  command: z.array(z.string()).optional(),
  volumes: z.array(z.string()).default([]),
  ports: z.array(published).default([]),
  healthcheck: z
    .strictObject({ test: z.array(z.string()), interval: z.string(), timeout: z.string(), retries: z.number() })
    .optional(),
})

const composeSchema = z.strictObject({
  name: z.string(),
  services: z.record(z.string(), serviceSchema),
  volumes: z.record(z.string(), z.null()).default({}),
})

/** What the file says of one service, after its variables were put in. */
export type Service = Omit<z.infer<typeof serviceSchema>, "environment"> & {
  readonly environment: Readonly<Record<string, string>>
}

/** The file: the project's name, and each service. */
export interface Compose {
  readonly name: string
  readonly services: Readonly<Record<string, Service>>
  /** The services that start where none is named: all without a profile, and those of the profiles that are on. */
  readonly usual: readonly string[]
}

/** Reads `compose.yaml` of a folder. The shell's variables win over those of `.env`. Throws as Docker refuses. */
export function readCompose(folder: string, shell: Readonly<Record<string, string>>): Compose {
  const env = { ...variablesIn(join(folder, ".env")), ...shell }
  const given: unknown = parse(readFileSync(join(folder, "compose.yaml"), "utf8"))
  const { name, services } = composeSchema.parse(filled(given, env))
  const on = (env["COMPOSE_PROFILES"] ?? "").split(",")
  const isOn = ({ profiles }: z.infer<typeof serviceSchema>) =>
    profiles.length === 0 || profiles.some((profile) => on.includes(profile))
  return {
    name,
    usual: Object.entries(services).flatMap(([service, said]) => (isOn(said) ? [service] : [])),
    services: Object.fromEntries(
      Object.entries(services).map(([service, said]) => [
        service,
        { ...said, environment: { ...filesOf(folder, said), ...environmentOf(said.environment, env) } },
      ]),
    ),
  }
}

function variablesIn(file: string): Readonly<Record<string, string>> {
  if (!existsSync(file)) return {}
  return Object.fromEntries(
    Object.entries(parseEnv(readFileSync(file, "utf8"))).map(([key, value]) => [key, value ?? ""]),
  )
}

function filesOf(folder: string, { env_file: files }: z.infer<typeof serviceSchema>): Readonly<Record<string, string>> {
  const read = files.map(({ path, required = true }) => {
    const file = resolve(folder, path)
    if (required && !existsSync(file)) throw new Error(`env file ${file} not found`)
    return variablesIn(file)
  })
  return Object.assign({}, ...read)
}

/** A variable without a value is the one of the shell, if there is one. */
function environmentOf(given: z.infer<typeof pairs>, env: Readonly<Record<string, string>>) {
  const set = Object.entries(given).map(([key, value]) => [key, value ?? env[key]] as const)
  return Object.fromEntries(set.filter((pair): pair is [string, string] => pair[1] !== undefined))
}

/** Puts variables into every text of a value. */
function filled(value: unknown, env: Readonly<Record<string, string>>): unknown {
  if (typeof value === "string") return interpolated(value, env)
  if (Array.isArray(value)) return value.map((member) => filled(member, env))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, filled(member, env)]))
}

const variable = /\$\$|\$\{(\w+)(?:(:?[-?+])((?:[^{}]|\{[^{}]*\})*))?\}|\$(\w+)/g

/** `${NAME}`, `${NAME:-default}`, `${NAME:?what to do}`, `${NAME:+other}` and their forms without a colon; `$$` is `$`. */
export function interpolated(text: string, env: Readonly<Record<string, string>>): string {
  return text.replaceAll(variable, (whole: string, braced?: string, operator = "", word = "", bare?: string) => {
    if (whole === "$$") return "$"
    const name = braced ?? bare ?? ""
    const value = env[name]
    const isSet = operator.startsWith(":") ? value !== undefined && value !== "" : value !== undefined
    if (operator.endsWith("?") && !isSet) throw new Error(`required variable ${name} is missing a value: ${word}`)
    if (operator.endsWith("-")) return isSet ? (value ?? "") : word
    if (operator.endsWith("+")) return isSet ? word : ""
    return value ?? ""
  })
}
