// Planted bugs. Each spoils one port, or the bound of the store, so that the product does what it must never do. So we
// see that the checker finds such bugs.
import type { Approval } from "../../src/domain/content/approval.ts"
import type { Commit, Committed, Continued, Platform, Ports, SumAsRead } from "../../src/flow/ports.ts"
import { type LedgerFreshness, unbounded } from "../../src/store/freshness/freshness.ts"
import { mapPorts, type PortMethod } from "./points.ts"

type Spoil = (ports: Ports) => Ports

/** What a planted bug spoils; by default nothing. */
export interface Planted {
  readonly around: Spoil
  readonly aroundFreshness: (freshness: LedgerFreshness) => LedgerFreshness
}

/** A planted bug and what it comes to, in words. */
interface Plant {
  readonly about: string
  /** What shows it, where not each seed may: an attacker or a stop, then in each seed, or an outage of ten minutes. */
  readonly shownBy?: "attacker" | "stop" | "outage"
  readonly spoil?: Spoil
  readonly spoilFreshness?: Planted["aroundFreshness"]
}

/** Replaces one method of one port. */
function instead(
  where: PortMethod,
  make: (run: (...given: unknown[]) => unknown) => (...given: unknown[]) => unknown,
): Spoil {
  return (ports) => mapPorts(ports, (port, name, run) => (`${port}.${name}` === where ? make(run) : run))
}

/** Counts calls, and is true at each n-th. */
function eachNth(nth: number): () => boolean {
  let calls = 0
  return () => {
    calls += 1
    return calls % nth === 0
  }
}

/** Does not do each n-th call, and answers as if it had. */
function eachNthClaimed(nth: number, where: PortMethod, answer: unknown): Spoil {
  return (ports) => {
    const isClaimed = eachNth(nth)
    return instead(
      where,
      (run) =>
        async (...given) =>
          isClaimed() ? answer : run(...given),
    )(ports)
  }
}

function eventsLeftOut(kind: string): Spoil {
  return instead("store.commit", (run) => (commit) => {
    const { events, ...rest } = commit as Commit
    return run({ ...rest, events: events.filter((event) => event.kind !== kind) })
  })
}

/** The record as it was when it was first read, by itself or in a list. */
function remembersRecords(): Spoil {
  const first = new Map<unknown, unknown>()
  const remembersGet = instead("platform.get", (run) => async (id) => {
    if (!first.has(id)) first.set(id, await run(id))
    return first.get(id)
  })
  const remembersList = instead("platform.pending", (run) => () => {
    return noting(run() as ReturnType<Platform["pending"]>, (one) => void (first.has(one.id) || first.set(one.id, one)))
  })
  return (ports) => remembersGet(remembersList(ports))
}

async function* noting(pages: ReturnType<Platform["pending"]>, note: (approval: Approval) => void) {
  for await (const page of pages) {
    for (const listed of page.approvals) note(listed.read())
    yield page
  }
}

/** Takes a time-out of a resolve for a success. */
function trustsSilence(ports: Ports): Ports {
  const records = new Map<string, Approval>()
  const spoil = (platform: Platform): Platform => ({
    ...platform,
    get: async (id) => {
      const record = await platform.get(id)
      if (record !== null) records.set(id, record)
      return record
    },
    resolve: async (id, body, ...sending) => {
      const answer = await platform.resolve(id, body, ...sending).catch(() => null)
      if (answer !== null) return answer
      const { status, resolved_by: resolvedBy, resolution_data: resolutionData } = JSON.parse(body)
      const record = records.get(id)
      if (record === undefined) throw new Error(`${id} was never read`)
      return { kind: "row", approval: { ...record, status, resolvedBy, resolutionData } }
    },
  })
  return { ...ports, platforms: new Map([...ports.platforms].map(([name, one]) => [name, spoil(one)])) }
}

/** The planted bugs by name. */
export const plants: Readonly<Record<string, Plant>> = {
  "card-twice": {
    about: "a card is posted two times",
    spoil: instead("chat.postCard", (run) => async (model) => {
      await run(model)
      return run(model)
    }),
  },
  "card-not-looked-for": {
    about: "a card that a dead process or a lost answer left behind is not looked for",
    spoil: instead("chat.findCard", () => async () => null),
  },
  "card-not-updated": {
    about: "each second update of a card is only claimed",
    spoil: eachNthClaimed(2, "chat.updateCard", { kind: "updated" }),
  },
  "click-not-settled": {
    about: "a clicked card is said to be settled, and is not",
    spoil: instead("chat.settleClicked", () => async () => "taken"),
  },
  "answers-swallowed": { about: "nobody is answered", spoil: instead("chat.answer", () => async () => undefined) },
  "refused-is-not-there": {
    about: "a look-up for a card that fails is taken for an answer: there is none",
    spoil: instead("chat.findCard", (run) => async (...given) => {
      try {
        return await run(...given)
      } catch {
        return null
      }
    }),
  },
  "looks-not-counted": {
    about: "a look at a card takes three calls, of which one counts in Slack's minute",
    spoil: instead("chat.look", (run) => async (...given) => {
      await run(...given)
      await run(...given)
      return run(...given)
    }),
  },
  "line-lost": {
    about: "each third message of a thread is lost",
    spoil: (ports) => {
      const isClaimed = eachNth(3)
      return instead("chat.tell", (run) => async (...given) => {
        const [, , lines] = given as Parameters<Ports["chat"]["tell"]>
        return isClaimed() ? lines.events.length : run(...given)
      })(ports)
    },
  },
  "lines-not-counted": {
    about: "lines that a lost answer left in a thread are not counted before more are written",
    spoil: instead("chat.countLines", () => async () => null),
  },
  "line-twice": {
    about: "each third message of a thread is written two times",
    spoil: (ports) => {
      const again = eachNth(3)
      return instead("chat.tell", (run) => async (...given) => {
        if (again()) await run(...given)
        return run(...given)
      })(ports)
    },
  },
  "ticket-not-written": {
    about: "a press is acknowledged without a ticket, so that a crash loses it",
    spoil: (ports) => {
      const { clock } = ports
      return instead("tickets.write", () => async (press) => {
        const { interaction } = press as { readonly interaction: string }
        return { id: `press-${interaction}`, press, takenAt: clock() }
      })(ports)
    },
  },
  "content-not-read-again": {
    about: "a decision is made on the record as it was first read",
    spoil: remembersRecords(),
  },
  "anybody-approves": {
    about: "everybody is taken for a member of every group",
    spoil: (ports) => {
      const everybody = ["U0ALICE", "U0BOB", "U0RITA"].map((user) => `${ports.people.home.team}:${user}`)
      return instead("people.members", () => async () => ({ keys: everybody, trouble: null }))(ports)
    },
  },
  "silence-is-success": { about: "a resolve that was not answered is taken for done", spoil: trustsSilence },
  "wrong-name": {
    about: "the platform is told another name than the voter's",
    spoil: instead("platform.resolve", (run) => (id, body) => {
      const named = { ...JSON.parse(String(body)), resolved_by: "somebody@sandbox.example" }
      return run(id, JSON.stringify(named))
    }),
  },
  "body-made-anew": {
    about: "the body of a verdict is made anew for each POST",
    spoil: (ports) => {
      const { clock } = ports
      return instead("platform.resolve", (run) => (id, body) => {
        const made = JSON.parse(String(body))
        made.resolution_data.countersign.posted_at = clock()
        return run(id, JSON.stringify(made))
      })(ports)
    },
  },
  "end-not-in-ledger": {
    about: "that the platform has a decision is not written down",
    spoil: eventsLeftOut("resolved"),
  },
  "poll-passes-over": {
    about: "approvals that come while others wait are passed over",
    spoil: (ports) => {
      const { store } = ports
      return {
        ...ports,
        store: {
          ...store,
          known: async (instance, ids) =>
            new Map([...(await store.known(instance, ids)), ...ids.slice(1).map((id) => [id, ""] as const)]),
        },
      }
    },
  },
  "time-stands-still": {
    about: "no deadline is ever due",
    spoil: instead("store.deadlines", () => async () => []),
  },
  "held-is-sent": {
    about: "a rejection that the platform would not enforce is sent",
    spoil: (ports) => ({
      ...ports,
      conduct: new Map([...ports.conduct].map(([name, one]) => [name, { ...one, rejectUserInput: "send" as const }])),
    }),
  },
  "continued-twice": {
    about: "a run is asked to go on two times",
    spoil: instead("runs.continue", (run) => async (...given) => {
      await run(...given)
      return run(...given)
    }),
  },
  "cancel-is-believed": {
    about: "a run that was cancelled is told as if no call of it had run",
    spoil: instead("runs.continue", (run) => async (...given) => {
      const answer = (await run(...given)) as Continued
      const cancelled = answer.kind === "run" && answer.run.status === "CANCELLED"
      return cancelled ? { ...answer, run: { ...answer.run, tools: [], requirements: [] } } : answer
    }),
  },
  "restart-not-seen": {
    about: "nobody asks whether the platform was restarted while it worked on a continue",
    spoil: instead("platform.upForMs", () => async () => null),
  },
  "cut-is-restart": {
    about: "a connection that breaks is taken for a platform that was restarted",
    spoil: instead("platform.upForMs", () => async () => 0),
  },
  "never-continued": {
    about: "a decided case's run is forgotten",
    spoil: (ports) => {
      const forgotten = instead("runs.continue", () => async () => ({ kind: "accepted" }))
      return instead("jobs.resume", () => async () => undefined)(forgotten(ports))
    },
  },
  "requester-not-told": {
    about: "the card of who asked is only said to be posted",
    spoil: instead("chat.postCard", (run) => async (model) => {
      const { route } = model as { readonly route: string }
      return route.startsWith("person:") ? { channel: "D0NOBODY", ts: "1.000001" } : run(model)
    }),
  },
  "summary-not-posted": {
    about: "a summary is only said to be posted",
    spoil: instead("chat.postSummary", () => async (model) => {
      const { route } = model as { readonly route: string }
      return { channel: route.slice(route.indexOf(":") + 1), ts: "1.000001" }
    }),
  },
  "summary-lines-twice": {
    about: "each message of a summary's thread is written two times",
    spoil: instead("chat.tellOnSummary", (run) => async (...given) => {
      await run(...given)
      return run(...given)
    }),
  },
  "press-not-answered": {
    about: "each third answer is only said to be given",
    spoil: eachNthClaimed(3, "chat.answer", undefined),
  },
  "sums-not-read": {
    about: "a limit is read as if nothing had been approved before",
    spoil: instead("store.sums", (run) => async (...given) => {
      const read = (await run(...given)) as readonly SumAsRead[]
      return read.map((one) => ({ ...one, state: one.state && { ...one.state, amounts: {} } }))
    }),
  },
  "vote-not-taken-back": {
    about: "a withdrawn vote counts all the same",
    spoil: (ports) => {
      const last = new Map<string, Commit["next"]["votes"]>()
      return instead("store.commit", (run) => (given) => {
        const commit = given as Commit
        const { id, votes } = commit.next
        const kept = commit.events.some(({ kind }) => kind === "withdrawn") ? last.get(id) : undefined
        last.set(id, kept ?? votes)
        return run(kept === undefined ? commit : { ...commit, next: { ...commit.next, votes: kept } })
      })(ports)
    },
  },
  "proposals-not-found": {
    about: "what was proposed before is not looked for",
    spoil: instead("store.sentBackIn", () => async () => []),
  },
  "proposal-not-used-up": {
    about: "a proposal is compared with each call that may answer it",
    spoil: instead("store.commit", (run) => (given) => {
      const { besides, ...commit } = given as Commit
      const answers = commit.events.some(({ kind }) => kind === "counterproposal-answered")
      return run(answers || besides === undefined ? commit : { ...commit, besides })
    }),
  },
  "loop-not-counted": {
    about: "a call that was rejected by itself is not noted on the rejection that lasts",
    spoil: instead("store.commit", (run) => (given) => {
      const { besides, ...commit } = given as Commit
      const repeats = commit.events.some((event) => event.kind === "decided" && event.by === "again")
      return run(repeats || besides === undefined ? commit : { ...commit, besides })
    }),
  },
  "answer-told-nobody": {
    about: "whoever asked is only said to be told the answer",
    spoil: instead("chat.tellAnswer", () => async () => undefined),
  },
  "no-freshness": {
    about: "a record that is older than the ledger counts",
    shownBy: "attacker",
    spoilFreshness: (freshness) => ({
      ...freshness,
      ...unbounded,
      touched: () => [],
      standing: () => ({ kind: "fresh" }),
      settle: async () => undefined,
    }),
  },
  "no-orders": {
    about: "a commit that was judged under other orders is repeated as it is",
    shownBy: "stop",
    spoil: (ports) => {
      const { underAny } = ports
      return instead("store.commit", (run) => async (commit) => {
        const done = (await run(commit)) as Committed
        return done.kind === "config" ? underAny.commit(commit as Commit) : done
      })(ports)
    },
  },
  "list-not-asked": {
    about: "an approval is believed gone without a look at the list",
    shownBy: "outage",
    spoil: (ports) => {
      const listed = new Set<string>()
      const notes = instead("platform.pending", (run) => () => {
        return noting(run() as ReturnType<Platform["pending"]>, ({ id }) => void listed.add(id))
      })
      return instead("platform.newest", () => async () => [...listed])(notes(ports))
    },
  },
  "nothing-left-over": {
    about: "work that a crash or a failure left over is not taken up",
    spoil: (ports) => {
      const quiet = instead("store.unfinished", () => async () => [])
      return instead("jobs.resolve", () => async () => undefined)(quiet(ports))
    },
  },
}

/** What a planted bug spoils; nothing for none. Throws if there is no such bug. */
export function plantBug(name: string | null): Planted {
  const around: Spoil = (ports) => ports
  const aroundFreshness = (freshness: LedgerFreshness): LedgerFreshness => freshness
  if (name === null) return { around, aroundFreshness }
  const plant = plants[name]
  if (plant === undefined)
    throw new Error(`no planted bug is called ${name}: there are ${Object.keys(plants).join(", ")}`)
  return { around: plant.spoil ?? around, aroundFreshness: plant.spoilFreshness ?? aroundFreshness }
}
