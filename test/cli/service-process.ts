// A process that is `countersign service` and nothing else, for tests that signal it.
import { runService } from "../../src/cli/service.ts"
import { terminal } from "../../src/cli/terminal.ts"

await runService(terminal, { flags: {}, env: process.env })
