// Somebody who reads a page at a terminal: gives its blocks to bash one after the other, in a folder, and keeps what
// they set.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { until } from "../../stories/acts.ts"

/** What a block said, how it ended, and what was given. */
export interface Said {
  readonly code: number
  readonly out: string
  readonly err: string
  readonly given: string
}

/** A command that runs on. */
export interface Staying {
  readonly out: () => string
  /** Ctrl-C. */
  readonly end: () => Promise<Said>
}

/** A terminal. */
export interface Terminal {
  /** Gives a block, and waits until its last command has ended. The first command that fails ends it. */
  readonly give: (block: string) => Promise<Said>
  /** Gives a block whose last command runs on, and waits until it says this. */
  readonly start: (block: string, says: RegExp) => Promise<Staying>
  /** Saves a file. */
  readonly save: (name: string, text: string) => void
  readonly read: (name: string) => string
}

/** Opens a terminal in a folder. Each block finds what the one before left: variables, umask, folder. */
export function openTerminal(folder: string, env: NodeJS.ProcessEnv): Terminal {
  const state = join(mkdtempSync(join(dirname(folder), "terminal-")), "state")
  writeFileSync(state, `cd '${folder}'\n`)
  const begin = (block: string) => {
    const keep = `trap '{ export -p; echo "umask $(umask)"; echo "cd \\"$PWD\\""; } > "${state}"' EXIT`
    // A process group of its own, as a terminal makes one: Ctrl-C reaches all of it.
    const script = `. '${state}'\nset -e\n${keep}\n${block}`
    const child = spawn("bash", ["-c", script], { cwd: folder, env, detached: true, stdio: ["ignore", "pipe", "pipe"] })
    let [out, err] = ["", ""]
    child.stdout.on("data", (chunk: Buffer) => void (out += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => void (err += chunk.toString()))
    const ended = once(child, "close").then(([code]) => ({ code: Number(code ?? -1), out, err, given: block }))
    return { pid: child.pid ?? 0, out: () => out, err: () => err, ended }
  }
  return {
    give: (block) => begin(block).ended,
    start: async (block, says) => {
      const running = begin(block)
      let over = false
      void running.ended.then(() => void (over = true))
      await until(`a command to say ${says}`, () => {
        if (over) throw new Error(`it ended: ${running.out()}${running.err()}`)
        return says.test(running.out() + running.err()) ? true : undefined
      })
      return {
        out: running.out,
        end: () => {
          if (!over) process.kill(-running.pid, "SIGINT")
          return running.ended
        },
      }
    },
    save: (name, text) => {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    },
    read: (name) => readFileSync(join(folder, name), "utf8"),
  }
}
