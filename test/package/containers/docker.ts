// The commands of `docker` that our pages give, on the engine of the tests. What it does not know, it refuses.
import { randomBytes } from "node:crypto"
import { resolve } from "node:path"
import { type Compose, readCompose, type Service } from "../../support/compose.ts"
import type { Engine, Started, Wish } from "./engine.ts"
import { type Door, publishPort } from "./relays.ts"

/** A command as the shell gives it. */
export interface Given {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** What it prints and how it ends. */
export interface Answer {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Carries a command out. Whoever makes it closes it, before its engine. */
export interface Docker {
  readonly run: (given: Given) => Promise<Answer>
  readonly close: () => Promise<void>
}

const done: Answer = { code: 0, out: "", err: "" }

/** Makes a `docker` on an engine. */
export function createDocker(engine: Engine): Docker {
  const doors = new Map<string, Door>()
  const made = new Map<string, string>()
  const commands: Readonly<Record<string, (given: Given) => Promise<Answer>>> = {
    build: async ({ argv, cwd }) => {
      const { options, rest } = split(argv, { tag: "value" })
      await engine.build(options.tag?.[0] ?? "", resolve(cwd, rest[0] ?? ""))
      return done
    },
    compose: (given) => compose({ engine, doors, made }, given),
  }
  return {
    run: async (given) => {
      const [name = "", ...argv] = given.argv
      const command = commands[name]
      if (command === undefined) return refusal(`nobody plays docker ${name} here`)
      return command({ ...given, argv }).catch((error: unknown) => refusal(String(error)))
    },
    close: async () => void (await Promise.all([...doors.values()].map((door) => door.close()))),
  }
}

function refusal(err: string): Answer {
  return { code: 1, out: "", err: `${err}\n` }
}

function known(engine: Engine, name: string): Started {
  const container = engine.container(name)
  if (container === undefined) throw new Error(`No such container: ${name}`)
  return container
}

type Shape = Readonly<Record<string, "flag" | "value">>
type Options<S extends Shape> = { readonly [Name in keyof S]?: readonly string[] }

/** The options before the first word that is none, and the words from there on. */
function split<S extends Shape>(argv: readonly string[], shape: S): { options: Options<S>; rest: readonly string[] } {
  const options: Record<string, string[]> = {}
  let at = 0
  for (; argv[at]?.startsWith("--") === true; at += 1) {
    const name = argv[at]?.slice(2) ?? ""
    const kind = shape[name]
    if (kind === undefined) throw new Error(`unknown flag: --${name}`)
    if (kind === "value") at += 1
    options[name] = [...(options[name] ?? []), kind === "value" ? (argv[at] ?? "") : ""]
  }
  return { options: options as Options<S>, rest: argv.slice(at) }
}

function aName(): string {
  return `c${randomBytes(4).toString("hex")}`
}

async function toItsEnd(engine: Engine, container: Started): Promise<Answer> {
  const ended = await container.ended
  engine.remove(container.name)
  return ended
}

async function compose(kept: Pick<Place, "engine" | "doors" | "made">, given: Given): Promise<Answer> {
  const { engine } = kept
  const [name = "", ...argv] = given.argv
  const file = readCompose(given.cwd, given.env)
  const place = { ...kept, file, cwd: given.cwd }
  switch (name) {
    case "up": {
      const { rest } = split(argv, { detach: "flag", wait: "flag" })
      if (!argv.includes("--detach")) throw new Error("nobody waits here: give --detach")
      await up(place, rest.length === 0 ? file.usual : rest, argv.includes("--wait"))
      return done
    }
    case "run": {
      const { rest } = split(argv, { rm: "flag", "no-TTY": "flag" })
      const [service = "", ...command] = rest
      await upBefore(place, service)
      const container = await engine.start(await wishOf(place, service, { name: aName(), command }))
      return toItsEnd(engine, container)
    }
    case "stop":
      await stopAll(engine, argv)
      return done
    case "rm":
      for (const one of split(argv, { force: "flag" }).rest) engine.remove(one)
      return done
    default:
      throw new Error(`nobody plays docker compose ${name} here`)
  }
}

interface Place {
  readonly engine: Engine
  /** What is published, by its line in the file. */
  readonly doors: Map<string, Door>
  /** What each service that runs was started as. */
  readonly made: Map<string, string>
  readonly file: Compose
  readonly cwd: string
}

function serviceOf({ file }: Place, name: string): Service {
  const service = file.services[name]
  if (service === undefined) throw new Error(`no such service: ${name}`)
  return service
}

/** Docker lets containers find each other by the names of their services, and by their own. */
async function wishOf(place: Place, service: string, one: Pick<Wish, "name" | "command">): Promise<Wish> {
  const { engine, file, cwd } = place
  const said = serviceOf(place, service)
  if (said.build !== undefined && !engine.hasImage(said.image)) await engine.build(said.image, resolve(cwd, said.build))
  return {
    ...one,
    image: said.image,
    network: `${file.name}_default`,
    env: said.environment,
    volumes: said.volumes.map((volume) => (/^[./]/.test(volume) ? volume : `${file.name}_${volume}`)),
    folder: cwd,
    tmpfs: said.tmpfs,
    readOnly: said.read_only,
    noRights: said.cap_drop.length > 0 && said.security_opt.length > 0,
    init: said.init,
    ...(said.healthcheck === undefined ? {} : { healthCheck: said.healthcheck.test }),
  }
}

async function up(place: Place, services: readonly string[], waits: boolean): Promise<void> {
  for (const name of services) {
    const said = serviceOf(place, name)
    const wish = await wishOf(place, name, { name, command: said.command ?? [] })
    if (place.engine.container(name) !== undefined) {
      // What is said otherwise than before is made anew.
      if (place.made.get(name) === JSON.stringify(wish)) continue
      await stopAll(place.engine, [name])
    }
    await upBefore(place, name)
    place.made.set(name, JSON.stringify(wish))
    const container = await place.engine.start(wish)
    for (const port of said.ports) await publish(place, port, container.address)
    if (waits) await container.healthy()
  }
}

/** Starts what a service needs, and waits until it is well. */
async function upBefore(place: Place, service: string): Promise<void> {
  for (const name of Object.keys(serviceOf(place, service).depends_on)) await up(place, [name], true)
}

async function publish({ doors }: Place, text: string, address: string): Promise<void> {
  const [host = "", outer, inner] = text.split(":")
  await doors.get(text)?.close()
  doors.set(text, await publishPort({ host, port: Number(outer) }, { host: address, port: Number(inner) }))
}

/** Ends containers in the time that Docker gives them, and takes them away. */
async function stopAll(engine: Engine, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await known(engine, name).stop(10_000)
    engine.remove(name)
  }
}
