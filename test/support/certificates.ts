// Makes certificates for tests: an authority, and what it signs. Only as much of X.509 (RFC 5280) as Node looks at.
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { isIPv4 } from "node:net"

/** A certificate and its private key, in PEM. */
export interface Certified {
  readonly cert: string
  readonly key: string
}

/**
 * An authority. `issue` signs a server's certificate for DNS names and IPv4 addresses; `days` is how long it is valid
 * yet, negative for one that has expired.
 */
export interface Authority {
  readonly cert: string
  issue(names: readonly string[], days?: number): Certified
}

const DAY_MS = 86_400_000

/** Makes an authority that nobody knows. */
export function anAuthority(name = "Test Authority"): Authority {
  const keys = newKeys()
  const ca = certificate({ name, issuer: name, keys, signer: keys.privateKey, names: null, days: 30 })
  return {
    cert: ca,
    issue: (names, days = 30) => {
      const own = newKeys()
      const [first = "nobody"] = names
      const cert = certificate({ name: first, issuer: name, keys: own, signer: keys.privateKey, names, days })
      return { cert, key: own.privateKey.export({ type: "pkcs8", format: "pem" }).toString() }
    },
  }
}

interface Wanted {
  readonly name: string
  readonly issuer: string
  readonly keys: { readonly publicKey: KeyObject }
  readonly signer: KeyObject
  /** Null for an authority's own. */
  readonly names: readonly string[] | null
  readonly days: number
}

function newKeys() {
  return generateKeyPairSync("ec", { namedCurve: "P-256" })
}

const OIDS = {
  commonName: "550403",
  basicConstraints: "551d13",
  altNames: "551d11",
  ecdsaWithSha256: "2a8648ce3d040302",
}

function certificate({ name, issuer, keys, signer, names, days }: Wanted): string {
  const algorithm = sequence(oid(OIDS.ecdsaWithSha256))
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.from([1, ...Buffer.from(name).subarray(0, 8)])),
    algorithm,
    named(issuer),
    sequence(time(Date.now() + Math.min(0, days) * DAY_MS - DAY_MS), time(Date.now() + days * DAY_MS)),
    named(name),
    keys.publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(names === null ? authorityOnly() : alternatives(names))),
  )
  const signature = sign("sha256", body, { key: signer, dsaEncoding: "der" })
  return pem(sequence(body, algorithm, tagged(0x03, Buffer.concat([Buffer.from([0]), signature]))))
}

function authorityOnly(): Buffer {
  const isAuthority = sequence(tagged(0x01, Buffer.from([0xff])))
  return sequence(oid(OIDS.basicConstraints), tagged(0x01, Buffer.from([0xff])), tagged(0x04, isAuthority))
}

function alternatives(names: readonly string[]): Buffer {
  const all = names.map((name) =>
    isIPv4(name) ? tagged(0x87, Buffer.from(name.split(".").map(Number))) : tagged(0x82, Buffer.from(name)),
  )
  return sequence(oid(OIDS.altNames), tagged(0x04, sequence(...all)))
}

function named(name: string): Buffer {
  return sequence(tagged(0x31, sequence(oid(OIDS.commonName), tagged(0x0c, Buffer.from(name)))))
}

/** UTCTime. */
function time(at: number): Buffer {
  const digits = new Date(at).toISOString().replaceAll(/\D/g, "").slice(2, 14)
  return tagged(0x17, Buffer.from(`${digits}Z`))
}

function oid(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, "hex"))
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts))
}

/** DER: tag, length, content. */
function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function pem(der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`
}
