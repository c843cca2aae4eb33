// A world of one story. It stands apart from `world.ts`, whose bot also runs in processes without a test.
import { onTestFailed, onTestFinished } from "vitest"
import { announced } from "./acts.ts"
import { startWorld, type World, type WorldOptions } from "./world.ts"

/** How many of the bot's last lines a failed test prints. */
const lastLines = 30

/**
 * Starts a world that is closed when the test is over; if it failed, the bot's last lines are printed. Not for tests
 * that run side by side.
 */
export async function aWorld(options: WorldOptions = {}): Promise<World> {
  const world = await startWorld(options)
  onTestFinished(() => world.close())
  onTestFailed(() => {
    for (const line of world.log.slice(-lastLines)) console.error(JSON.stringify(line))
  })
  return world
}

/** Starts a world as `aWorld` does, in which a program asks for an approval, whose card hangs. */
export async function announcedWorld(options: WorldOptions = {}) {
  const here = await aWorld(options)
  return { here, ...(await announced(here)) }
}
