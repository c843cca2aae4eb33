// The key that signs receipts: given by the environment, in a file that is made once, or derived from the installation's key.
import type { Config } from "../../config.ts"
import { derivedKeyText, makeKeyText, readSigningKey, type SigningKey } from "../../proof/signing-key.ts"
import { openKeyFile } from "./key.ts"

/**
 * The signing key of an installation. A key file that does not exist is made with mode 600, by one process only. Throws `KeyError` for a file
 * that cannot be used, `ProofError` for a text that is no private key on Ed25519 or P-256.
 */
export async function openSigningKey(config: Config, key: Buffer): Promise<SigningKey> {
  const { receipts, installation } = config
  switch (receipts.key.kind) {
    case "given":
      return readSigningKey(receipts.key.value, "COUNTERSIGN_RECEIPT_KEY")
    case "derived":
      return readSigningKey(derivedKeyText(key, installation), "the key that follows from COUNTERSIGN_KEY")
    case "file": {
      const { path } = receipts.key
      const make = () => makeKeyText(receipts.algorithm)
      const text = openKeyFile({ path, make, instead: "set COUNTERSIGN_RECEIPT_KEY" }).toString()
      return readSigningKey(text, `the key file ${path}`)
    }
  }
}
