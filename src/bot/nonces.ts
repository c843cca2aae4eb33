// The nonces of a process' seal, drawn in advance.

/** So many nonces of 12 bytes are drawn at once: a draw costs more than its bytes. */
const nonceStock = 256

/** Makes what gives 12 fresh random bytes at each call. */
export function nonces(random: (size: number) => Buffer): () => Buffer {
  let stock: Buffer = Buffer.alloc(0)
  return () => {
    if (stock.length === 0) stock = random(12 * nonceStock)
    const nonce = stock.subarray(0, 12)
    stock = stock.subarray(12)
    return nonce
  }
}
