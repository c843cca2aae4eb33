// A network for containers as Docker makes one: a bridge on this machine, an address and a loopback of its own for each
// container, and names.
import { randomBytes, randomInt } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { installDebian, isRoot } from "../../../src/setup/debian.mjs"
import { run } from "../../../src/setup/processes.mjs"

/** A network that containers join. */
export interface Network {
  /** The machine's own address on it. */
  readonly machine: string
  /** The file that containers have as /etc/hosts: who has joined, by name. */
  readonly hostsFile: string
  /** Gives a name an address, at once for all who have joined. */
  readonly addressOf: (name: string) => string
  /** Puts a process that has a network namespace of its own on the network. */
  readonly join: (pid: number, name: string) => Promise<void>
  readonly close: () => Promise<void>
}

/** Where a program runs. */
interface Place {
  readonly cwd?: string
  readonly env: NodeJS.ProcessEnv
}

/** Runs a program, and throws what it wrote if it fails. */
export async function must(command: readonly string[], place: Place = { env: process.env }): Promise<void> {
  const { code, output } = await run(command, place)
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${output}`)
}

/** Makes a network. `names` are addresses that are there already, such as that of the machine. */
export async function createNetwork(folder: string, machineNames: readonly string[]): Promise<Network> {
  if ((await run(["ip", "-V"], { env: process.env })).code !== 0 && isRoot())
    await installDebian(["iproute2"], process.env)
  const bridge = `cs${randomBytes(4).toString("hex")}`
  const prefix = `198.${randomInt(18, 20)}.${randomInt(0, 256)}`
  const machine = `${prefix}.1`
  const hostsFile = join(folder, `hosts-${bridge}`)
  const names = new Map<string, string>()
  const write = () => {
    const lines = [...names, ...machineNames.map((name) => [name, machine] as const)]
    writeFileSync(
      hostsFile,
      ["127.0.0.1 localhost", ...lines.map(([name, address]) => `${address} ${name}`), ""].join("\n"),
    )
  }
  const addressOf = (name: string) => {
    const known = names.get(name) ?? `${prefix}.${names.size + 2}`
    names.set(name, known)
    write()
    return known
  }
  write()
  await must(["ip", "link", "add", bridge, "type", "bridge"])
  await must(["ip", "addr", "add", `${machine}/24`, "dev", bridge])
  await must(["ip", "link", "set", bridge, "up"])
  return {
    machine,
    hostsFile,
    addressOf,
    join: (pid, name) => joinNetwork({ bridge, pid, address: addressOf(name), machine }),
    close: () => must(["ip", "link", "del", bridge]),
  }
}

async function joinNetwork(options: { bridge: string; pid: number; address: string; machine: string }): Promise<void> {
  const { bridge, pid, address, machine } = options
  const outer = `cv${randomBytes(4).toString("hex")}`
  await must(["ip", "link", "add", outer, "type", "veth", "peer", "name", "eth0", "netns", String(pid)])
  await must(["ip", "link", "set", outer, "master", bridge, "up"])
  const inside = ["nsenter", `--target=${pid}`, "--net", "ip"]
  await must([...inside, "link", "set", "lo", "up"])
  await must([...inside, "addr", "add", `${address}/24`, "dev", "eth0"])
  await must([...inside, "link", "set", "eth0", "up"])
  await must([...inside, "route", "add", "default", "via", machine])
}
