// What a Docker daemon keeps and does: images, volumes, networks, and containers that it starts and ends.
import { cpSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { until } from "../../stories/acts.ts"
import { type Container, type ContainerSpec, type Mount, type Relay, startContainer } from "./container.ts"
import { buildBotImage, homeOf, type Image, idOf, layRedisImage } from "./image.ts"
import { createNetwork, must, type Network } from "./network.ts"

/** How a container differs from its image. */
export interface Wish {
  readonly image: string
  readonly name: string
  readonly network: string
  /** In place of the image's command; empty: the image's. */
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** `NAME:/path`, `./path:/path:ro`. */
  readonly volumes: readonly string[]
  /** What relative paths of the machine begin at. */
  readonly folder: string
  /** `/path`, `/path:options`. */
  readonly tmpfs?: readonly string[]
  readonly readOnly?: boolean
  readonly noRights?: boolean
  readonly init?: boolean
  /** Default: the image's own. */
  readonly healthCheck?: readonly string[]
  /** Folders besides the volumes. */
  readonly mounts?: readonly Mount[]
  /** Default: the image's own. */
  readonly user?: number
  readonly groups?: readonly number[]
}

/** A container and how to see that it is well. */
export interface Started extends Container {
  /** Resolves when the health check passes; rejects if the container ends before. */
  readonly healthy: () => Promise<void>
}

/** The engine. */
export interface Engine {
  readonly build: (tag: string, project: string) => Promise<void>
  readonly hasImage: (tag: string) => boolean
  readonly start: (wish: Wish) => Promise<Started>
  /** The network with this name, made when it is first asked for. */
  readonly network: (name: string) => Promise<Network>
  /** A container that was started under this name and not removed. */
  readonly container: (name: string) => Started | undefined
  readonly remove: (name: string) => void
  readonly close: () => Promise<void>
}

/** Options of an engine. */
export interface EngineOptions {
  /** An empty folder for all that it keeps. */
  readonly folder: string
  /** Programs of this machine that each container finds on its own loopback. */
  readonly relays: readonly Relay[]
  /** Names under which containers find this machine. */
  readonly machineNames: readonly string[]
}

/** Makes an engine. Whoever makes it closes it. */
export function createEngine({ folder, relays, machineNames }: EngineOptions): Engine {
  mkdirSync(folder, { recursive: true })
  const images = new Map<string, Image>()
  const networks = new Map<string, Promise<Network>>()
  const containers = new Map<string, Started>()
  const network = (name: string) => {
    const made = networks.get(name) ?? createNetwork(folder, machineNames)
    networks.set(name, made)
    return made
  }
  const imageOf = async (tag: string): Promise<Image> => {
    const known =
      images.get(tag) ?? (tag.startsWith("valkey/valkey:") ? await layRedisImage(join(folder, "redis")) : null)
    if (known === null) throw new Error(`Unable to find image '${tag}' locally`)
    images.set(tag, known)
    return known
  }
  return {
    build: async (tag, project) => {
      const root = join(folder, `image-${images.size}`)
      images.set(tag, await buildBotImage(project, root))
    },
    hasImage: (tag) => images.has(tag),
    network,
    container: (name) => containers.get(name),
    remove: (name) => void containers.delete(name),
    start: async (wish) => {
      if (containers.has(wish.name)) throw new Error(`The container name "/${wish.name}" is already in use`)
      const image = await imageOf(wish.image)
      const spec = await specOf(wish, image, folder)
      const place = { network: await network(wish.network), folder, relays }
      const container = await startContainer(spec, place)
      const check = wish.healthCheck ?? image.healthCheck
      const started = { ...container, healthy: () => healthOf(container, check) }
      containers.set(wish.name, started)
      return started
    },
    close: async () => {
      await Promise.all([...containers.values()].map((container) => container.stop(10_000)))
      const made = await Promise.all(networks.values())
      await Promise.all(made.map((one) => one.close()))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function specOf(wish: Wish, image: Image, folder: string): Promise<ContainerSpec> {
  const { name, env, command, readOnly = false, noRights = false, init = false, tmpfs = [] } = wish
  const id = wish.user ?? idOf(image.user)
  const own = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: homeOf(image.user), HOSTNAME: name }
  const mounts = await Promise.all(wish.volumes.map((volume) => mountOf(volume, { wish, image, folder })))
  return {
    name,
    root: image.root,
    argv: [...image.entrypoint, ...(command.length === 0 ? image.command : command)],
    env: { ...own, ...image.env, ...env },
    folder: image.folder,
    user: id,
    group: id === 0 ? 0 : 1000,
    groups: wish.groups ?? [],
    readOnly,
    noRights,
    init,
    tmpfs: tmpfs.map((text) => ({ target: text.split(":")[0] ?? "", options: text.split(":")[1] ?? "mode=1777" })),
    mounts: [...mounts, ...(wish.mounts ?? [])],
  }
}

/**
 * A folder of the machine, which is made if it is not there, or a volume, which begins with what the image has
 * there.
 */
async function mountOf(
  volume: string,
  { wish, image, folder }: { readonly wish: Wish; readonly image: Image; readonly folder: string },
): Promise<Mount> {
  const [source = "", target = "", mode] = volume.split(":")
  if (/^[./]/.test(source)) {
    const place = join(wish.folder, source)
    mkdirSync(place, { recursive: true })
    return { source: place, target, readOnly: mode === "ro" }
  }
  const place = join(folder, `volume-${source}`)
  if (mkdirSync(place, { recursive: true }) !== undefined) {
    cpSync(join(image.root, target), place, { recursive: true })
    await must(["chown", `--reference=${join(image.root, target)}`, place])
  }
  return { source: place, target, readOnly: mode === "ro" }
}

async function healthOf(container: Container, check: readonly string[]): Promise<void> {
  let over = false
  void container.ended.then(() => void (over = true))
  await until(`${container.name} to be healthy`, async () => {
    if (over) throw new Error(`${container.name} ended: ${container.out()}${container.err()}`)
    const words = check[0] === "CMD" ? check.slice(1) : check
    return (await container.exec(words)).code === 0 ? true : undefined
  })
}
