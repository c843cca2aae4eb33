// Words for the terminal: errors as one clear message, and the exit code that goes with them.
import { isPortError } from "../flow/ports.ts"

/** Where a command writes. */
export interface Terminal {
  readonly out: (line: string) => void
  readonly err: (line: string) => void
}

/** This process's own terminal. */
export const terminal: Terminal = {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
}

/** An error in words. One that we foresaw is its message; a mistake of ours comes with its stack, so that it can be reported. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const foreseen = isPortError(error) || "code" in error
  return foreseen ? error.message : (error.stack ?? error.message)
}

/** Runs a command; a failure becomes one message and exit code 1. */
export async function reporting(command: () => Promise<void>): Promise<void> {
  try {
    await command()
  } catch (error) {
    terminal.err(`countersign: ${wordsOf(error)}`)
    process.exitCode = 1
  }
}
