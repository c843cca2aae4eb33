// Builds the package as its README says, packs it, and installs it into two empty folders: by npm 11, and by npm 12.
import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import type { TestProject } from "vitest/node"
import { run } from "../../src/setup/processes.mjs"
import { terminalEnv } from "../support/terminal.ts"

const root = new URL("../..", import.meta.url).pathname
const nodePackage = `node-${process.platform}-${process.arch}`

/** By folder the npm that installs into it. The first is the one that all tests play on. */
const installers = { "npm-11": "npm@11.21.2", "npm-12": "npm@12.2.1" }

// These npms need a newer Node than a machine may have.
const newNode = { ...terminalEnv, PATH: [dirname(process.execPath), terminalEnv["PATH"]].join(delimiter) }

/** Called by vitest once per run. Gives back what vitest calls at the end. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const home = String(project.config.env["PACKAGE_HOME"])
  await done(["npm", "run", "build"], { cwd: root, env: terminalEnv })
  await done(["npm", "pack", "./dist"], { cwd: root, env: { ...terminalEnv, npm_config_pack_destination: home } })
  const [packed = ""] = readdirSync(home).filter((name) => name.endsWith(".tgz"))
  for (const [name, npm] of Object.entries(installers)) {
    const folder = join(home, name)
    mkdirSync(folder)
    const flags = ["--prefer-offline", "--no-audit", "--no-fund"]
    await done(["npx", "--yes", npm, "install", ...flags, join(home, packed)], { cwd: folder, env: newNode })
    bringNode(folder)
  }
  // It imports the package, which is there only now.
  const { default: startRedis } = await import("../support/global-redis.ts")
  const stopRedis = await startRedis(project)
  return async () => {
    await stopRedis()
    rmSync(home, { recursive: true, force: true })
  }
}

/** Without a network npm leaves an optional package out; the one that is installed here stands in for it. */
function bringNode(folder: string): void {
  const brought = join(folder, "node_modules", nodePackage)
  const ours = join(root, "node_modules", nodePackage)
  if (!existsSync(brought) && existsSync(ours)) symlinkSync(realpathSync(ours), brought)
}

async function done(command: readonly string[], place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }) {
  const { code, output } = await run(command, place)
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${output}`)
}
