// The shape of a press inside a ticket.
import { z } from "zod"
import { isJsonObject, type JsonObject } from "../domain/content/json.ts"
import type { Press } from "../flow/ports/interaction.ts"

const text = z.string()
const verb = z.enum(["approve", "reject"])

const pressed = z.object({
  interaction: text,
  person: z.object({ team: text, user: text }),
  name: text,
  at: z.number(),
  target: z.object({
    installation: text,
    caseId: text,
    route: text,
    revision: z.number(),
    digest: text,
    bound: z.object({ era: z.number(), count: z.number() }).exactOptional(),
  }),
  on: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("card"), place: z.object({ channel: text, ts: text }) }),
    z.object({ kind: z.literal("view"), viewId: text }),
  ]),
  surface: z.enum(["card", "details", "form", "command", "home", "summary"]),
  replyTo: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("response"), responseUrl: text, channel: text, user: text }),
    z.object({
      kind: z.literal("view"),
      viewId: text,
      user: text,
      walk: z.object({ route: text, at: text }).exactOptional(),
    }),
  ]),
})

const vote = pressed.extend({
  verb,
  reason: text.nullable(),
  values: z.custom<JsonObject>(isJsonObject, "must be a JSON object").nullable(),
})
const press: z.ZodType<Press> = z.union([vote, pressed.extend({ verb: z.literal("withdraw") })])

/** What is sealed into a ticket. */
export const sealedTicket = z.object({ press, takenAt: z.number(), era: z.number().default(0) })
