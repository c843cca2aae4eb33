// Counts lines as vitest does, but tells apart a script in a worker and the same script in a program that a test
// started.
import v8 from "@vitest/coverage-v8"
import { V8CoverageProvider } from "@vitest/coverage-v8/dist/provider.js"
import type { BaseCoverageProvider, CoverageProviderModule } from "vitest/node"

type Reading = Parameters<BaseCoverageProvider["readCoverageFiles"]>[0]

/**
 * What a profile says of one script. `isExtendedContext`: it ran in a program of its own, so Node alone stripped its
 * types.
 */
type Script = { readonly isExtendedContext?: boolean }

/**
 * V8 counts characters, and vite's code of a script has other characters than Node's. The provider of vitest adds up
 * all profiles of a script whichever code they are of, which makes nonsense of both; here each kind is read by itself,
 * and only their lines are added up.
 */
class Provider extends V8CoverageProvider {
  override async readCoverageFiles({ onFileRead, ...reading }: Reading): Promise<void> {
    const readOnly = (apart: boolean) => (coverage: { readonly result: readonly Script[] }) =>
      onFileRead({ result: coverage.result.filter(({ isExtendedContext = false }) => isExtendedContext === apart) })
    await super.readCoverageFiles({ ...reading, onFileRead: readOnly(false) })
    await super.readCoverageFiles({ ...reading, onFileRead: readOnly(true) })
  }
}

/** What vitest asks for: how workers count, and who adds up. */
export default { ...v8, getProvider: () => new Provider() } satisfies CoverageProviderModule
