// How lines are counted, in workers and in the programs that tests start, so that both name the same places.
import { stripTypeScriptTypes } from "node:module"
import { fileURLToPath } from "node:url"
import type { ViteUserConfig } from "vitest/config"

/**
 * Types become blanks, as Node does it: every statement stays where it is written, and is found there whoever ran it.
 */
const stripTypes = {
  name: "strip-types",
  transform(code: string, id: string) {
    return id.endsWith(".ts") ? { code: stripTypeScriptTypes(code), map: null } : undefined
  },
}

/** The part of vitest's configuration that counts. */
export const counting = {
  plugins: [stripTypes],
  oxc: false,
  test: {
    // Node counts less exactly in a program that it compiled before.
    env: { NODE_COMPILE_CACHE: "" },
    coverage: {
      enabled: true,
      provider: "custom",
      customProviderModule: fileURLToPath(new URL("provider.ts", import.meta.url)),
      autoAttachSubprocess: true,
    },
  },
} satisfies ViteUserConfig
