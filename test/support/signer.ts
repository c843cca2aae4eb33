// A signer for tests, under a fixed key.

import { createSigner, type Signer } from "../../src/proof/signed.ts"
import { derivedKeyText, readSigningKey } from "../../src/proof/signing-key.ts"

/** The signer of an Ed25519 key that is the same in every run. */
export async function aSigner(installation = "test"): Promise<Signer> {
  return createSigner(await readSigningKey(derivedKeyText(Buffer.alloc(32, 7), installation), "a test's key"))
}
