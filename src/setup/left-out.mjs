// What the bundle leaves out: modules that packages load at once, but that nothing here ever calls.

/** By package: what of its own or of others' it asks for in vain. */
const leftOut = {
  // Receivers that are not used, installing into several workspaces, and routes of a receiver's own.
  "@slack/bolt": /^(?:express|@slack\/oauth|path-to-regexp)$/,
  // A body that is read as bytes has no character set.
  "raw-body": /^iconv-lite$/,
  // Clocks go by an interval, and state is in Redis.
  bullmq: /^(?:cron-parser|\.\.?\/postgres.*)$/,
  // Metrics of Node itself are not served, nor those of several processes at once.
  "prom-client": /^\.\/lib\/(?:defaultMetrics|cluster|pushgateway)$/,
  // Stand-ins for tests, and what may be put between a call and its connection.
  undici: /^\.\/lib\/(?:mock|interceptor|cache)\//,
}

const namespace = "left-out"

/**
 * Bundles in place of these an object of functions that throw when they are called.
 * @type {import("esbuild").Plugin}
 */
export const leaveOut = {
  name: namespace,
  setup: (build) => {
    build.onResolve({ filter: /^[^/]/ }, ({ path, importer }) => {
      const asking = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(importer)?.[1] ?? ""
      const isLeftOut = Object.entries(leftOut).some(([name, paths]) => name === asking && paths.test(path))
      return isLeftOut ? { path: `${asking}:${path}`, namespace } : undefined
    })
    build.onLoad({ filter: /^/, namespace }, ({ path }) => ({ contents: standIn(path) }))
  },
}

/** True for the name under which esbuild lists what was left out. */
export const isLeftOut = (/** @type {string} */ input) => input.startsWith(`${namespace}:`)

/** @param {string} path */
function standIn(path) {
  const words = JSON.stringify(`${path} is left out of this package, since Countersign never calls it`)
  return `
const missing = function () { throw new Error(${words}) }
const get = (_, name) => (name === "__esModule" || typeof name === "symbol" ? undefined : missing)
module.exports = new Proxy(missing, { get })
`
}
