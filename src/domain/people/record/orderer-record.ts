// Who gave an order, as records keep it: beside the orders in force, and in the case that a stop covers.
import { z } from "zod"

const text = z.string()
/** Null once erased. */
const name = text.nullable()

/** The schema of `Orderer`. */
export const ordererSchema = z.discriminatedUnion("kind", [
  /** Somebody in Slack. */
  z.object({ kind: z.literal("person"), team: text, user: text, name }),
  /** Somebody at a shell, by their account there. */
  z.object({ kind: z.literal("operator"), name }),
  /** Whoever called over HTTP, by the subject of their token. */
  z.object({ kind: z.literal("caller"), name }),
  /** Countersign itself. `unknown`: nobody knows which orders are in force. `until`: the time of an order is over. */
  z.object({ kind: z.literal("countersign"), why: z.enum(["unknown", "until"]) }),
])
