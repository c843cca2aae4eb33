// The environment of a terminal on this machine: its own Node and npm come first, and nothing is left of the npm that
// runs the tests.
import { delimiter } from "node:path"

export const terminalEnv: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries({ ...process.env, PATH: withoutProject(process.env["PATH"] ?? "") }).filter(
    ([name]) => !/^(npm_(?!config_)|NODE_(?!EXTRA_CA_CERTS)|VITEST|INIT_CWD|TEST$)/.test(name),
  ),
)

function withoutProject(path: string): string {
  return path
    .split(delimiter)
    .filter((part) => !part.includes("node_modules") && !part.includes("node-gyp-bin"))
    .join(delimiter)
}
