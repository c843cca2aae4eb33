// Opens the SQLite file, creates or updates its tables, and runs work in transactions.
import { chmodSync, closeSync, existsSync, openSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { ServiceError } from "../errors.ts"
import { indexedWords } from "./indexed-words.ts"
import { migrations } from "./migrations.ts"

/**
 * Opens `file` (or ":memory:") and creates or updates its tables. WAL with full synchronisation: a commit that was
 * answered survives kill -9 and a power cut. Only the owner may read the file and the files that SQLite adds. Throws
 * `ServiceError` if a later version of this program has written the file.
 */
export function openDatabase(file: string): DatabaseSync {
  if (file !== ":memory:") closeToOthers(file)
  const database = new DatabaseSync(file, { timeout: 5000 })
  database.function("indexed_words", { deterministic: true }, (text) => indexedWords(String(text)))
  try {
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    migrate(database, file)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Closes the files to others. SQLite gives new files the database's mode; files of a killed process keep their own. */
function closeToOthers(file: string): void {
  closeSync(openSync(file, "a", 0o600))
  const made = [file, `${file}-wal`, `${file}-shm`].filter((one) => existsSync(one))
  for (const one of made) if ((statSync(one).mode & 0o077) !== 0) chmodSync(one, 0o600)
}

/**
 * Runs all steps that a database does not have yet, in one transaction. Returns the versions before and after. It may
 * run again. Throws `ServiceError` if a later version of this program has written the file.
 */
export function migrate(
  database: DatabaseSync,
  file = "of this service",
): { readonly from: number; readonly to: number } {
  return transact(database, () => {
    const version = database.prepare("PRAGMA user_version").get()?.["user_version"]
    if (typeof version !== "number" || version > migrations.length) {
      throw new ServiceError(
        "database_newer",
        `database ${file}: its version is ${String(version)}, this program knows ${migrations.length}`,
      )
    }
    for (const step of migrations.slice(version)) database.exec(step)
    database.exec(`PRAGMA user_version = ${migrations.length}`)
    return { from: version, to: migrations.length }
  })
}

/** Runs `work` as one transaction, which takes the write lock first. If `work` throws, nothing is kept. */
export function transact<T>(database: DatabaseSync, work: () => T): T {
  database.exec("BEGIN IMMEDIATE")
  try {
    const result = work()
    database.exec("COMMIT")
    return result
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK")
    throw error
  }
}
