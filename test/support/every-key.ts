// Two files that together have every key of countersign.yaml, none at its default, and the paths of their keys.
import { generateKeyPairSync } from "node:crypto"
import { readFileSync } from "node:fs"
import { isMap, isNode, isPair, isScalar, isSeq, parseDocument } from "yaml"

const folder = new URL("../fixtures/every-key/", import.meta.url)

/** The files; what cannot stand in the one stands in the other. */
export const everyKey = ["socket.yaml", "http.yaml"].map((name) => ({
  name,
  yaml: readFileSync(new URL(name, folder), "utf8"),
}))

/** The paths of all keys of a file, without list positions, as in `rules.match.tool`. */
export function pathsIn(yaml: string): readonly string[] {
  return [...new Set(pathsBelow(parseDocument(yaml).contents, ""))]
}

function pathsBelow(node: unknown, prefix: string): readonly string[] {
  if (isSeq(node)) return node.items.flatMap((item) => pathsBelow(item, prefix))
  if (!isMap(node)) return []
  return node.items.flatMap(({ key, value }) => {
    const path = prefix + (isScalar(key) ? String(key.value) : "")
    return [path, ...pathsBelow(value, `${path}.`)]
  })
}

/** The file without a key, wherever it stands. */
export function withoutKey(yaml: string, path: string): string {
  const document = parseDocument(yaml)
  remove(document.contents, path.split("."))
  return String(document)
}

function remove(node: unknown, names: readonly string[]): void {
  if (isSeq(node)) for (const item of node.items) remove(item, names)
  if (!isMap(node)) return
  const [name = "", ...below] = names
  if (below.length === 0) node.delete(name)
  else remove(node.items.find((pair) => isPair(pair) && isScalar(pair.key) && pair.key.value === name)?.value, below)
}

/** The file with one key left out or of another value: once for each place where it stands, and each value. */
export function withOtherValues(yaml: string, path: string, values: readonly unknown[]): readonly string[] {
  return placesOf(parseDocument(yaml).toJS(), path.split(".")).flatMap((place) =>
    [undefined, ...values].map((value) => {
      const document = parseDocument(yaml)
      if (value === undefined) document.deleteIn(place)
      else document.setIn(place, document.createNode(value))
      return String(document)
    }),
  )
}

/** Where a key stands, with list positions. */
function placesOf(value: unknown, names: readonly string[]): readonly (readonly (string | number)[])[] {
  if (Array.isArray(value)) return value.flatMap((one, index) => placesOf(one, names).map((place) => [index, ...place]))
  const [name = "", ...below] = names
  if (typeof value !== "object" || value === null || !(name in value)) return []
  if (below.length === 0) return [[name]]
  return placesOf((value as Record<string, unknown>)[name], below).map((place) => [name, ...place])
}

/** What stands at a key, wherever it stands. */
export function valuesOf(yaml: string, path: string): readonly unknown[] {
  const document = parseDocument(yaml)
  return placesOf(document.toJS(), path.split(".")).map((place) => {
    const node: unknown = document.getIn(place)
    return isNode(node) ? node.toJSON() : node
  })
}

/** The claims of a credential that may run agents besides, so that somebody has to take the risk. */
const runsToo = JSON.stringify({ scopes: ["approvals:write", "agents:run"] })

/** What the files name besides addresses: secrets, and files below `FOLDER`. */
export function keysAround() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  return {
    env: {
      COUNTERSIGN_KEY: "a key of the tests that is long enough",
      RESOLVING_TOKEN: `e30.${Buffer.from(runsToo).toString("base64url")}.e30`,
      METRICS_TOKEN: "a token for the metrics",
      READ_KEY: "a key to read with that is long enough",
      SIGN_IN_SECRET: "a secret of the sign-in",
      SIGNING_KEY: "a key to sign with that is long enough",
      HOOK_SECRET: `whsec_${Buffer.alloc(32, "n").toString("base64")}`,
      OLD_HOOK_SECRET: `whsec_${Buffer.alloc(32, "o").toString("base64")}`,
    },
    files: {
      "sign-in.secret": "another secret of the sign-in\n",
      "hook-secret": `whsec_${Buffer.alloc(24, "f").toString("base64")}\n`,
      "hook-headers": "Authorization: Splunk a-token-of-the-collector\n",
      "resume-token": "a token that continues runs",
      "signing-key.pem": privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      "read-keys.json": JSON.stringify({
        keys: [{ ...publicKey.export({ format: "jwk" }), kid: "one", alg: "ES256", use: "sig" }],
      }),
    },
  }
}
