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

/** Common words of passwords. Attackers try them first, combined with digits and punctuation. */
const STEMS =
  'password passw0rd admin administrator root test guest user welcome login master qwerty qwertyuiop asdfghjkl zxcvbnm abc abcd abcdef iloveyou dragon monkey sunshine princess football baseball superman batman shadow letmein trustno1 hello freedom whatever secret changeme default system oracle mysql server manager demo woaini aini wodemima mima nihao zhongguo beijing shanghai shenzhen taobao qq weixin alipay huawei xiaomi tencent oms operation device iot vendor a1b2c3 q1w2e3 1q2w3e4r 1qaz2wsx qazwsx zaq12wsx p@ssw0rd p@ssword pa55word'.split(
    ' ',
  )
const ENDINGS = [
  '',
  '1',
  '12',
  '123',
  '1234',
  '12345',
  '123456',
  '!',
  '!!',
  '@',
  '#',
  '123!',
  '@123',
  '#123',
  '!@#',
  '888',
  '666',
  '520',
  '2020',
  '2021',
  '2022',
  '2023',
  '2024',
  '2025',
  '2026',
  '2027',
  '01',
  '007',
]
const NUMBERS = [
  ...Array.from({ length: 10 }, (_, digit) =>
    [6, 7, 8, 9, 10, 11, 12].map((length) => String(digit).repeat(length)),
  ).flat(),
  '123456',
  '1234567',
  '12345678',
  '123456789',
  '1234567890',
  '0123456789',
  '987654321',
  '87654321',
  '654321',
  '0987654321',
  '123123',
  '123123123',
  '112233',
  '11223344',
  '121212',
  '12121212',
  '147258369',
  '159753',
  '456789',
  '789456123',
  '1314520',
  '5201314',
  '520520',
  '520131400',
  '7758521',
  '1qazxsw2',
  '135792468',
  '741852963',
  '963852741',
]

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
let weak: Set<string> | undefined

/** Returns true when this MD5 belongs to one of about 4,500 common passwords. The list is hashed on first use. */
export function isMd5OfWeakPassword(md5: string) {
  weak ??= new Set(
    [
      ...NUMBERS,
      ...STEMS.flatMap((stem) =>
        [stem, capital(stem), stem.toUpperCase()].flatMap((word) => ENDINGS.map((end) => word + end)),
      ),
    ].map(computeMd5Hex),
  )
  return weak.has(md5)
}
