// Words for the terminal: each error as one clear message, with its exit code.
import { Command } from "commander"
import { isPortError } from "../flow/ports.ts"

/** Where a command writes, and which config it should read. */
export interface Terminal {
  readonly out: (line: string) => void
  readonly err: (line: string) => void
  /** The path that `--config` names; undefined: the usual path. */
  readonly configFile?: string | undefined
}

/** This process's own terminal. */
export const terminal: Terminal = {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
}

/** The error if a command cannot do what it should. It says which input is wrong, and what would be right. */
export class CommandError extends Error {
  readonly retryable = false
  readonly code = "bad-command"
}

/** An error in words. For a mistake of ours we add the stack, so that people can report it. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const foreseen = isPortError(error) || "code" in error
  return foreseen ? error.message : (error.stack ?? error.message)
}

/** Runs a command. A failure becomes one message and exit code 1. */
export async function reporting(command: () => void | Promise<void>): Promise<void> {
  try {
    await command()
  } catch (error) {
    terminal.err(`countersign: ${wordsOf(error)}`)
    process.exitCode = 1
  }
}

/** This process's own terminal, with the config that the command got by `--config` (`readsConfig`). */
export function terminalOf(command: unknown): Terminal {
  const { config } = command instanceof Command ? command.opts<{ readonly config?: string }>() : {}
  return { ...terminal, configFile: config }
}

/** Makes a command that loads its modules when somebody calls it. It gets what commander parsed, commander last. */
export function starts<Given extends unknown[]>(
  load: () => Promise<(terminal: Terminal, ...given: Given) => void | Promise<void>>,
): (...given: Given) => Promise<void> {
  return (...given) => reporting(async () => (await load())(terminalOf(given.at(-1)), ...given))
}
