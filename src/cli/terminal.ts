// Words for the terminal: errors as one clear message, and the exit code that goes with them.
import { Command } from "commander"
import { isPortError } from "../flow/ports.ts"

/** Where a command writes, and which config it was told to read. */
export interface Terminal {
  readonly out: (line: string) => void
  readonly err: (line: string) => void
  /** What `--config` names; undefined: the usual one. */
  readonly configFile?: string | undefined
}

/** This process's own terminal. */
export const terminal: Terminal = {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
}

/** A command cannot do what it was told. The message says where that stood, and what would be right. */
export class CommandError extends Error {
  readonly retryable = false
  readonly code = "bad-command"
}

/** An error in words. A mistake of ours comes with its stack, so that people can report it. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const foreseen = isPortError(error) || "code" in error
  return foreseen ? error.message : (error.stack ?? error.message)
}

/** Runs a command; a failure becomes one message and exit code 1. */
export async function reporting(command: () => void | Promise<void>): Promise<void> {
  try {
    await command()
  } catch (error) {
    terminal.err(`countersign: ${wordsOf(error)}`)
    process.exitCode = 1
  }
}

/** This process's own terminal, with the config that a command was given by `--config` (`readsConfig`). */
export function terminalOf(command: unknown): Terminal {
  const { config } = command instanceof Command ? command.opts<{ readonly config?: string }>() : {}
  return { ...terminal, configFile: config }
}

/** A command whose modules load only when it is called, with what commander parsed; commander gives itself last. */
export function starts<Given extends unknown[]>(
  load: () => Promise<(terminal: Terminal, ...given: Given) => void | Promise<void>>,
): (...given: Given) => Promise<void> {
  return (...given) => reporting(async () => (await load())(terminalOf(given.at(-1)), ...given))
}
