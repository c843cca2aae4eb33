// The two cookies of the sign-in: one while somebody is at the provider, one for the session. Both are sealed.
import type { Context } from "hono"
import { generateCookie, setCookie } from "hono/cookie"
import { z } from "zod"
import { readCookie } from "../../auth/credential.ts"
import { tryParseJson } from "../../domain/content/json.ts"
import { type Seal, SealError } from "../../domain/proof/seal.ts"

/** What sealed cookies need. */
export interface SealedCookiesOptions {
  readonly seal: Pick<Seal, "encrypt" | "decrypt">
  /** Where the page is for browsers, such as `https://countersign.example.com`. */
  readonly publicUrl: string
  /** Whose sign-in it is: a cookie of another provider or client does not count. */
  readonly issuer: string
  readonly clientId: string
  /** Epoch ms. */
  readonly clock: () => number
}

/** How much browsers keep of one cookie in bytes, name and attributes included (RFC 6265, section 6.1). */
const longestCookie = 4_096

/** One kind of cookie. */
export interface SealedCookie<Value> {
  /** What a request's cookie says; null without one, or if it is over, was changed, or was sealed by somebody else. */
  read(context: Context): Value | null
  /** True if browsers keep a cookie with this value. They drop a longer one, and say nothing. */
  fits(value: Value, until: number): boolean
  /** Gives the browser a value until `until` (epoch ms). Nothing is kept here. */
  write(context: Context, value: Value, until: number): void
  clear(context: Context): void
}

/** A kind of cookie: its name, what it is sealed as, and its shape. */
interface CookieKind<Value> {
  readonly name: string
  readonly purpose: string
  readonly schema: z.ZodType<Value>
}

/**
 * Makes a kind of cookie. Only this site's pages may set it (`__Host-`), no script reads it, and it comes with a link
 * from elsewhere but not with a form (Lax). It is Secure, but where the page itself is plain http on this machine.
 */
export function createSealedCookie<Value>(
  { seal, publicUrl, issuer, clientId, clock }: SealedCookiesOptions,
  { name: bare, purpose, schema }: CookieKind<Value>,
): SealedCookie<Value> {
  const secure = publicUrl.startsWith("https:")
  const name = secure ? `__Host-${bare}` : bare
  const place = `${publicUrl} ${issuer} ${clientId}`
  const sealed = z.object({ until: z.number(), value: schema })
  const fixed = { path: "/", httpOnly: true, sameSite: "Lax", secure } as const
  const keep = (context: Context, text: string, maxAge: number) => setCookie(context, name, text, { ...fixed, maxAge })
  const textOf = (value: Value, until: number) =>
    seal.encrypt(purpose, JSON.stringify({ until, value }), place).toString("base64url")
  const maxAgeOf = (until: number) => Math.max(0, Math.floor((until - clock()) / 1_000))
  return {
    read: (context) => {
      const text = readCookie(context.req.header("cookie") ?? "", name)
      if (text === undefined) return null
      const opened = sealed.safeParse(tryParseJson(openedText(seal, purpose, { text, place })))
      return opened.success && clock() < opened.data.until ? opened.data.value : null
    },
    fits: (value, until) => {
      const line = generateCookie(name, textOf(value, until), { ...fixed, maxAge: maxAgeOf(until) })
      return Buffer.byteLength(line) <= longestCookie
    },
    write: (context, value, until) => keep(context, textOf(value, until), maxAgeOf(until)),
    clear: (context) => keep(context, "", 0),
  }
}

function openedText(
  seal: SealedCookiesOptions["seal"],
  purpose: string,
  { text, place }: { readonly text: string; readonly place: string },
): string {
  try {
    return seal.decrypt(purpose, Buffer.from(text, "base64url"), place).toString("utf8")
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    return ""
  }
}
