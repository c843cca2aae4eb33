// Finds a Chromium for the browser tests, and installs Debian's, with a font for emoji, when there is none.
import { delimiter, join } from "node:path"
import { isExecutable, run } from "../processes.mjs"

/** What Chromium is called on different systems, the one that we test with first. */
const PROGRAMS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]

/** Without the font emoji are empty boxes. */
const PACKAGES = ["chromium", "fonts-noto-color-emoji"]

/**
 * The path of a Chromium: `CHROMIUM` if it is set, else one on PATH, else installed by apt-get as root, which needs the network once.
 * Throws an error that says what to do when there is none.
 * @param {{ readonly env: NodeJS.ProcessEnv, readonly log: (line: string) => void }} options `log` hears of an installation only
 * @returns {Promise<string>}
 */
export async function findChromium({ env, log }) {
  const found = env["CHROMIUM"] || onPath(env)
  if (found) return found
  const failure = await install(env, log)
  const installed = onPath(env)
  if (installed) return installed
  throw new Error(
    `The browser tests need Chromium, which is not installed${failure === "" ? "" : `: ${failure}`}.\n` +
      `Install it (Debian: apt-get install ${PACKAGES.join(" ")}), or set CHROMIUM to the path of a Chromium or Chrome.`,
  )
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | undefined}
 */
function onPath(env) {
  const folders = (env["PATH"] ?? "").split(delimiter).filter(Boolean)
  return PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable)
}

/**
 * Installs the packages if we may. Returns why that failed, or nothing.
 * @param {NodeJS.ProcessEnv} env
 * @param {(line: string) => void} log
 * @returns {Promise<string>}
 */
async function install(env, log) {
  if (process.getuid?.() !== 0) return "only root may install it"
  log("no Chromium found, installing one (apt-get install chromium)")
  const quiet = { ...env, DEBIAN_FRONTEND: "noninteractive" }
  const wait = ["-o", "DPkg::Lock::Timeout=120"]
  for (const what of [
    ["update", "-q"],
    [...wait, "install", "--no-install-recommends", "-qy", ...PACKAGES],
  ]) {
    const { code, output } = await run(["apt-get", ...what], { env: quiet })
    if (code !== 0) return output.split("\n").at(-1) || `apt-get ended with ${code}`
  }
  return ""
}
