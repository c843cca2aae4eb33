// The chart with checkpoints on a volume, which all replicas share, in place of a Slack channel: its pods are started
// as helm renders them, and the main story is played on them.
import { readFileSync } from "node:fs"
import { expect, onTestFinished } from "vitest"
import { parse } from "yaml"
import { findHelm } from "../../src/setup/helm.mjs"
import { changed, setFile, template } from "../chart/helm.ts"
import { until } from "../stories/acts.ts"
import { testAsRoot } from "./containers/as-root.ts"
import { startCluster } from "./containers/cluster.ts"
import { startOutside } from "./containers/outside.ts"
import { playStory } from "./story.ts"

const program = ["node", "dist/src/cli/countersign.mjs"]
const file = "/proof/checkpoints.jsonl"

testAsRoot(
  "two replicas that keep checkpoints on one volume settle a card through the gate, and verify by it",
  async () => {
    process.env["HELM"] = await findHelm({ env: process.env, log: () => undefined })
    const ledger = `ledger: { checkpoint_file: ${file}, checkpoint_every: 1s }`
    const { config } = parse(readFileSync(setFile("agentos"), "utf8"))
    const changes = { config: config.replace(/^ledger: .*$/m, ledger), checkpoints: { volume: { enabled: true } } }
    const values = changed("agentos", changes)
    const part = (name: string) => template("countersign", ...values, "--show-only", `templates/${name}.yaml`)
    const [redis, gate, bot] = [await part("redis"), await part("gate"), await part("bot")]
    const here = await startOutside()
    onTestFinished(() => here.close())

    const pods = await startCluster(here, { redis, gate, bot })
    const { row } = await playStory(here, "U-1")

    expect(pods).toHaveLength(2)
    expect(row).toMatchObject({ status: "approved", resolved_by: "bob@sandbox.example" })
    const seen = async () => Promise.all(pods.map(async (pod) => (await pod.exec(["cat", file])).out))
    const [one, other] = await until("checkpoints of the story that both replicas see", async () => {
      const texts = await seen()
      return texts.every((text) => text !== "" && text === texts[0]) ? texts : undefined
    })
    expect(other).toBe(one)
    for (const pod of pods) {
      const { code, out } = await pod.exec([...program, "ledger", "verify"])
      expect([code, out]).toEqual([0, expect.stringMatching(/ledger verified: \d+[^]*checkpoint/)])
    }
  },
)
