// The blocks of a page that its reader gives to a shell or saves, and which pages tests walk from end to end.
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../..", import.meta.url))

/** A block of a page: its language (`sh`, `yaml`, or nothing), and what stands in it. */
export interface Block {
  readonly language: string
  readonly text: string
}

/** The blocks of a page that somebody gives or saves. */
export function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(`${root}${page}`, "utf8")
  return [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^ *```$/gm)].map(([, indent = "", language = "", block = ""]) => ({
    language,
    text: block.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  }))
}

/** The pages whose every command is given, in order, by tests: of this folder, test/package/release.test.ts and
 * test/agentos/quickstart.test.ts. */
export const walkedPages: readonly string[] = [
  "README.md",
  "docs/quickstart-agents.md",
  "docs/quickstart-operators.md",
  "docs/how-to/agentos-gate.md",
  "docs/how-to/behind-a-proxy.md",
  "docs/how-to/change-the-rules.md",
  "docs/how-to/on-call.md",
  "docs/how-to/restore.md",
  "docs/how-to/rotate-keys.md",
  "docs/how-to/sign-in.md",
  "docs/how-to/two-people-for-payments.md",
  "docs/how-to/webhooks.md",
  "docs/releasing.md",
]

/** Blocks of commands that nobody gives here, by their first line, and why. */
export const leftOut: Readonly<Record<string, string>> = {
  'pip install agno==3.1.10 fastapi uvicorn "sqlalchemy[asyncio]" python-multipart openai':
    "npm run test:agentos installs these packages into an environment of its own",
  "pip install ./integrations/agno": "test/agentos/package.test.ts builds the wheel and runs its tests from it",
  "git clone --no-tags . ../again":
    "the same command once more, for minutes; test/package/release.test.ts makes each part anew and compares",
  "docker build --tag countersign:0.2.0 countersign-image-0.2.0":
    "no Docker here; test/package/image.test.ts plays the recipe, of which test/package/release.test.ts has each file",
  "npm test": "the suite itself, with its browser and its coverage: .ci/run gives these commands",
}
