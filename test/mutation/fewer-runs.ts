// Properties try the same few examples in every run: so a mutant is killed always or never. They stop at the first that
// fails.
import fc from "fast-check"
import { runsOf } from "../support/runs.ts"

fc.configureGlobal({ seed: 1, numRuns: runsOf(100), endOnFailure: true })
