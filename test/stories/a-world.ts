// A world of one story. It stands apart from `world.ts`, whose bot also runs in processes without a test.
import { onTestFinished } from "vitest"
import { startWorld, type World, type WorldOptions } from "./world.ts"

/** Starts a world that is closed when the test is over. Not for tests that run side by side. */
export async function aWorld(options: WorldOptions = {}): Promise<World> {
  const world = await startWorld(options)
  onTestFinished(() => world.close())
  return world
}
