// A Redis that answers but takes no writes: the word that says so, what it means, and what to do.

/** Redis' own words for it (https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors). */
export type WriteRefusal = "OOM" | "READONLY" | "MASTERDOWN" | "MISCONF" | "NOREPLICAS" | "NOPERM" | "NOAUTH"

/** What each means, and what an operator does about it. */
export const writeRefusals: Readonly<Record<WriteRefusal, { readonly means: string; readonly todo: string }>> = {
  OOM: {
    means: "its memory is full (maxmemory)",
    todo: "raise maxmemory, or move other users of this server away",
  },
  READONLY: {
    means: "it is a replica that only follows another server",
    todo: "point REDIS_URL (redis_url) at the primary",
  },
  MASTERDOWN: {
    means: "it is a replica that does not reach its primary, and answers nothing meanwhile (replica-serve-stale-data)",
    todo: "point REDIS_URL (redis_url) at the primary, or bring that back",
  },
  MISCONF: {
    means: "it could not save its data, and takes no writes until it can (stop-writes-on-bgsave-error)",
    todo: "look into the server's log and at its disk; once a save succeeds, it takes writes again",
  },
  NOREPLICAS: {
    means: "fewer replicas follow it than it demands (min-replicas-to-write)",
    todo: "bring its replicas back",
  },
  NOPERM: {
    means: "its user lacks a right (ACL)",
    todo: "countersign doctor says which rights its user lacks",
  },
  NOAUTH: {
    means: "it takes no login, or another one than ours",
    todo: "put the user and password of that server into REDIS_URL (redis_url), and start again",
  },
}

/** A script's error has Redis' word in its midst; a read that waits is ended when its server becomes a replica. */
const signs: Readonly<Record<WriteRefusal, RegExp>> = {
  OOM: /\bOOM command not allowed/,
  READONLY: /\bREADONLY You can't write|\bUNBLOCKED force unblock .*replica/,
  MASTERDOWN: /\bMASTERDOWN \S/,
  MISCONF: /\bMISCONF \S/,
  NOREPLICAS: /\bNOREPLICAS Not enough/,
  // In a script the server says `NOPERM` in other words.
  NOPERM: /\bNOPERM \S|The user executing the script can't run|ACL failure in script/,
  NOAUTH: /\b(NOAUTH|WRONGPASS) \S/,
}

const words: readonly WriteRefusal[] = ["OOM", "READONLY", "MASTERDOWN", "MISCONF", "NOREPLICAS", "NOPERM", "NOAUTH"]

/** The word by which a message of Redis says that it takes no writes; null if it says something else. */
export function writeRefusalIn(said: string): WriteRefusal | null {
  return words.find((word) => signs[word].test(said)) ?? null
}
