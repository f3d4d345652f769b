import { createHash } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'

/** 64 MiB, 3 passes: 44 ms on the machine this was measured on. */
const COST = { memoryCost: 65_536, timeCost: 3, parallelism: 1 } as const
/** More at once would only take memory: there are no more cores to use. */
const AT_ONCE = 2
/** Beyond this many waiting a login is told to come back rather than kept waiting. */
const MAX_WAITING = 200

/** The queue in front of argon2 is full. */
export class PasswordsBusy extends Error {
  override readonly name = 'PasswordsBusy'
}

/** argon2id over the client's MD5 hex, off the event loop, two at a time. */
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

  /** Takes as long as a real check and fails: unknown accounts answer in the same time as known ones. */
  async pretend(md5: string) {
    this.#decoy ??= this.hash('decoy')
    await this.verify(await this.#decoy, md5)
    return false
  }

  async #queued<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting.length >= MAX_WAITING) throw new PasswordsBusy()
    if (this.#running >= AT_ONCE) await new Promise<void>((go) => this.#waiting.push(go))
    else this.#running += 1
    try {
      return await work()
    } finally {
      // Hands the place on without freeing it, so that nobody slips in between.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    }
  }
}

/** What the specification's client would send for this password. */
export const md5Hex = (password: string) => createHash('md5').update(password).digest('hex')
