// Finds the Node that runs TypeScript and node:sqlite: this one if it is new enough, else the one that npm installed.
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

/** The oldest Node that runs Countersign. */
const oldestMajor = 24

/**
 * True if a Node of this version runs Countersign by itself.
 * @param {string} version as in `process.versions.node`
 */
function isRecentNode(version) {
  return Number(version.split(".")[0]) >= oldestMajor
}

/**
 * The path of a Node 24 or later. If there is none, throws an error that says what to do.
 * @param {string} from a file, as a path or `file:` URL: we look for Node among the packages beside it
 * @returns {string}
 */
export function findNode(from) {
  if (isRecentNode(process.versions.node)) return process.execPath
  const name = `node-${process.platform}-${process.arch}`
  try {
    return join(dirname(createRequire(from).resolve(`${name}/package.json`)), "bin", "node")
  } catch (error) {
    throw new Error(
      `Countersign needs Node ${oldestMajor} or later; this is ${process.versions.node}, and the package ${name}, ` +
        `which brings one, is not installed. Install Node ${oldestMajor} and try again.`,
      { cause: error },
    )
  }
}
