import { createHash } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'

/** argon2 parameters: 64 MiB, 3 passes. Measured at 44 ms per hash. */
const COST = { memoryCost: 65_536, timeCost: 3, parallelism: 1 } as const
/** Maximum number of concurrent hashes. More would use memory without more cores to run on. */
const MAX_CONCURRENT_HASHES = 2
/** Maximum number of waiting logins. Further logins are refused with a request to retry. */
const MAX_WAITING = 200

/** The queue of argon2 hashes is full. */
export class PasswordsBusy extends Error {
  override readonly name = 'PasswordsBusy'
}

/** Hashes the client's MD5 hex with argon2id in worker threads, two at a time. */
export class Passwords {
  #running = 0
  readonly #waiting: (() => void)[] = []
  #decoy: Promise<string> | undefined

  hash(md5: string) {
    return this.#queued(() => hash(md5, COST))
  }

  verify(stored: string, md5: string) {
    return this.#queued(() => verify(stored, md5).catch(() => false))
  }

  /** Runs a check that always fails. Logins to unknown accounts then take as long as logins to known accounts. */
  async pretend(md5: string) {
    this.#decoy ??= this.hash('decoy')
    await this.verify(await this.#decoy, md5)
    return false
  }

  async #queued<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting.length >= MAX_WAITING) throw new PasswordsBusy()
    if (this.#running >= MAX_CONCURRENT_HASHES) await new Promise<void>((go) => this.#waiting.push(go))
    else this.#running += 1
    try {
      return await work()
    } finally {
      // Passes the slot directly to the next waiting call, so that no new call takes the slot first.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    }
  }
}

/** Returns the MD5 hex that a client of the specification sends for this password. */
export const computeMd5Hex = (password: string) => createHash('md5').update(password).digest('hex')
