// What a solver says of rules with conditions: is there a call for which this is so? It knows nothing of the product.
import { type Arith, type Bool, type Context, init } from "z3-solver"
import { type Asked, type Fixed, sloppily } from "../condition/slow-evaluator.ts"

/** A rule by its condition alone, or null for one without, and how many must agree. */
export interface PlainRule {
  readonly asked: Asked | null
  readonly quorum: number
}

const kinds = ["absent", "null", "number", "text", "hidden text", "truth", "object"] as const

/** What an argument may be: of which kind, its number, its text as two readers see it, its truth. */
interface Value {
  readonly is: (kind: (typeof kinds)[number]) => Bool
  readonly number: Arith
  /** Which of the known texts it is, or another one; for a careless reader which form of these. */
  readonly text: Arith
  readonly careless: Arith
  readonly truth: Bool
}

/** When a condition is true, and when it is false; if neither, it is unknown. */
interface Truths {
  readonly holds: Bool
  readonly fails: Bool
}

/** What the solver works with. */
interface World {
  readonly z: Context<"main">
  readonly values: ReadonlyMap<string, Value>
  readonly texts: readonly string[]
  readonly forms: readonly string[]
}

/** Starts the solver, for rules that look at `args.a` and `args.b`, and compare with these texts. */
export async function startOracle(texts: readonly string[]) {
  const { Context, em } = await init()
  const z = Context("main")
  const values = new Map(["a", "b"].map((name) => [name, valueOf(z, name)]))
  const world = { z, values, texts, forms: [...new Set(texts.map(sloppily))] }
  const isThere = async (fact: Bool): Promise<boolean> => {
    const solver = new z.Solver()
    solver.add(wellFormed(world), fact)
    const found = await solver.check()
    if (found === "unknown") throw new Error("the solver cannot tell")
    return found === "sat"
  }
  return {
    /** For each rule: does it take some call for certain, is it demanded for some? And has some call no rule? */
    check: async (rules: readonly PlainRule[]) => {
      const { first, demanded, gap } = standing(world, rules)
      return {
        first: await inTurn(first, isThere),
        demanded: await inTurn(demanded, isThere),
        gap: await isThere(gap),
      }
    },
    isLooser: (before: readonly PlainRule[], now: readonly PlainRule[]) => isThere(looser(world, before, now)),
    close: () => em.PThread.terminateAllThreads(),
  }
}

async function inTurn(facts: readonly Bool[], ask: (fact: Bool) => Promise<boolean>): Promise<readonly boolean[]> {
  const answers: boolean[] = []
  for (const fact of facts) answers.push(await ask(fact))
  return answers
}

function valueOf(z: Context<"main">, name: string): Value {
  const kind = z.Int.const(`${name} kind`)
  return {
    is: (one) => kind.eq(kinds.indexOf(one)),
    number: z.Real.const(`${name} number`),
    text: z.Int.const(`${name} text`),
    careless: z.Int.const(`${name} careless`),
    truth: z.Bool.const(`${name} truth`),
  }
}

/** Each value is of one kind, and a known text is to a careless reader what he makes of it. */
function wellFormed({ z, values, texts, forms }: World): Bool {
  const facts = [...values.values()].flatMap((value) => [
    z.Or(...kinds.map(value.is)),
    ...texts.map((text, index) => z.Implies(value.text.eq(index), value.careless.eq(forms.indexOf(sloppily(text))))),
  ])
  return z.And(...facts)
}

/** For each rule whether it is the first certain one, and whether it is demanded; and whether none is certain. */
function standing(world: World, rules: readonly PlainRule[]) {
  const { z } = world
  const verdicts = rules.map(({ asked }) => (asked === null ? always(z) : truthsOf(asked, world)))
  const before = (index: number): Bool =>
    z.And(z.Bool.val(true), ...verdicts.slice(0, index).map(({ holds }) => z.Not(holds)))
  return {
    first: verdicts.map(({ holds }, index) => z.And(holds, before(index))),
    demanded: verdicts.map(({ fails }, index) => z.And(z.Not(fails), before(index))),
    gap: before(rules.length),
  }
}

function always(z: Context<"main">): Truths {
  return { holds: z.Bool.val(true), fails: z.Bool.val(false) }
}

/** Is there a call that had no rule and has one? Or that lost a rule, and has none that asks for as many people? */
function looser(world: World, before: readonly PlainRule[], now: readonly PlainRule[]): Bool {
  const { z } = world
  const [old, fresh] = [standing(world, before), standing(world, now)]
  const lost = old.demanded.map((demanded, index) => {
    const enough = fresh.demanded.filter((_, at) => (now[at]?.quorum ?? 0) >= (before[index]?.quorum ?? 0))
    return z.And(z.Not(old.gap), demanded, ...enough.map((one) => z.Not(one)))
  })
  return z.And(z.Not(fresh.gap), z.Or(old.gap, ...lost))
}

function truthsOf(asked: Asked, world: World): Truths {
  const { z } = world
  switch (asked.is) {
    case "not": {
      const { holds, fails } = truthsOf(asked.of, world)
      return { holds: fails, fails: holds }
    }
    case "and":
    case "or": {
      const [left, right] = [truthsOf(asked.left, world), truthsOf(asked.right, world)]
      return asked.is === "and"
        ? { holds: z.And(left.holds, right.holds), fails: z.Or(left.fails, right.fails) }
        : { holds: z.Or(left.holds, right.holds), fails: z.And(left.fails, right.fails) }
    }
    case "compare":
      return compared(valueAt(asked.path.names, world), asked.by, asked.literal, world)
    case "in": {
      const each = asked.literals.map((one) => compared(valueAt(asked.path.names, world), "==", one, world))
      return { holds: z.Or(...each.map(({ holds }) => holds)), fails: z.And(...each.map(({ fails }) => fails)) }
    }
    case "has": {
      const value = valueAt(asked.path.names, world)
      return { holds: z.Not(z.Or(value.is("absent"), value.is("null"))), fails: value.is("absent") }
    }
    case "size":
    case "startsWith":
    case "endsWith":
    case "contains":
    case "exists":
    case "all":
      throw new Error(`the solver is not asked about ${asked.is}`)
  }
}

function valueAt([name = ""]: readonly string[], { values }: World): Value {
  const value = values.get(name)
  if (value === undefined) throw new Error(`no argument ${name}`)
  return value
}

function compared(value: Value, by: string, literal: Fixed, { z, texts, forms }: World): Truths {
  if ("number" in literal) return known(z, value.is("number"), ordered(value.number, by, z.Real.val(literal.number), z))
  if ("truth" in literal) {
    const same = literal.truth ? value.truth : z.Not(value.truth)
    return known(z, value.is("truth"), by === "==" ? same : z.Not(same))
  }
  const exact = value.text.eq(texts.indexOf(literal.text))
  const careless = value.careless.eq(forms.indexOf(sloppily(literal.text)))
  const [same, other] = [z.And(value.is("text"), exact), z.And(value.is("text"), z.Not(careless))]
  return by === "==" ? { holds: same, fails: other } : { holds: other, fails: same }
}

function known(z: Context<"main">, isKnown: Bool, fact: Bool): Truths {
  return { holds: z.And(isKnown, fact), fails: z.And(isKnown, z.Not(fact)) }
}

function ordered(number: Arith, by: string, other: Arith, z: Context<"main">): Bool {
  switch (by) {
    case "==":
      return number.eq(other)
    case "!=":
      return z.Not(number.eq(other))
    case "<":
      return number.lt(other)
    case "<=":
      return number.le(other)
    case ">":
      return number.gt(other)
    default:
      return number.ge(other)
  }
}
