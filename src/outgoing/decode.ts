// Undoes `content-encoding`. We never ask for it, but some proxies and gateways use it on every answer.
import { promisify } from "node:util"
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from "node:zlib"

/** An answer that cannot be decoded. `too-large`: decoded, it is longer than allowed. */
export class EncodingError extends Error {
  override readonly name = "EncodingError"
  readonly code: "unknown-encoding" | "wrong-encoding" | "too-large"

  constructor(code: EncodingError["code"], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

type Decoder = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Promise<Uint8Array>

const unzip: Decoder = promisify(gunzip)
const decoders: ReadonlyMap<string, Decoder> = new Map([
  ["gzip", unzip],
  ["x-gzip", unzip],
  ["deflate", deflated],
  ["br", promisify(brotliDecompress)],
  ["zstd", promisify(zstdDecompress)],
])

/** The bytes as they were before the encodings that the header names, at most `limit`. Throws `EncodingError`. */
export async function decoded(
  bytes: Uint8Array,
  { header, limit }: { readonly header: string | string[] | undefined; readonly limit: number },
): Promise<Uint8Array> {
  const names = [header ?? []].flat().join(",").toLowerCase().split(",")
  const encodings = names.map((name) => name.trim()).filter((name) => name !== "" && name !== "identity")
  let plain = bytes
  for (const name of encodings.toReversed()) plain = await undo(name, plain, limit)
  return plain
}

async function undo(name: string, bytes: Uint8Array, limit: number): Promise<Uint8Array> {
  const decode = decoders.get(name)
  if (decode === undefined)
    throw new EncodingError("unknown-encoding", `the encoding "${name}", which nobody asked for and we do not know`)
  try {
    return await decode(bytes, { maxOutputLength: limit })
  } catch (cause) {
    const long = cause instanceof Error && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE"
    throw long
      ? new EncodingError("too-large", `more than ${limit} bytes`, { cause })
      : new EncodingError("wrong-encoding", `bytes that are no ${name}, as its header says`, { cause })
  }
}

/** Undoes `deflate`. Some servers leave out the two bytes with which the format begins (RFC 1950). */
function deflated(bytes: Uint8Array, options: { readonly maxOutputLength: number }): Promise<Uint8Array> {
  const whole = ((bytes[0] ?? 0) & 0x0f) === 8
  return promisify(whole ? inflate : inflateRaw)(bytes, options)
}
