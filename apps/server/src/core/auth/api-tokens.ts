import { hash } from 'node:crypto'
import type { BlockList } from 'node:net'
import { createNetList, familyOf, parseNets } from '#core/config/nets.ts'
import { createSecret } from '#core/crypto/keys.ts'
import type { Database, Db } from '#core/database/client.ts'
import type { Events } from '#core/events/events.ts'
import type { User } from '#core/http/context.ts'
import { createUser, type Rights } from './rights.ts'
import type { AuthenticatedSession, NoSession } from './session-types.ts'
import type { Sessions } from './sessions.ts'

/** Scanners for leaked secrets recognise a token by this mark. */
const MARK = 'oms_'
/** The mark and 256 bits in base64url. A session ticket that begins with the mark is shorter. */
const TOKEN_LENGTH = 47

export const createApiToken = () => createSecret(MARK)
export const isApiToken = (secret: string | undefined): secret is string =>
  secret?.length === TOKEN_LENGTH && secret.startsWith(MARK)
export const hashApiToken = (token: string): Buffer => hash('sha256', token, 'buffer')

/**
 * Calls that no token may use: login, passwords, sessions and tokens, accounts and roles, work in another tenant, and the
 * decision of a second person. Calls that reveal a secret are refused too.
 */
const CLOSED =
  /^\/api\/v1\/(account|sys\/(account|online)|tenant\/(role|user|switch\w*|enableAccount|disableAccount))(\/|$)|\/audit$/

/** Returns whether a token may use a call, when it has the permission. */
export const isOpenToTokens = ({ path, revealsSecret }: { readonly path: string; readonly revealsSecret?: true }) =>
  revealsSecret !== true && !CLOSED.test(path)

/** Cached token of this process. Times are values of `performance.now`. */
interface KnownToken {
  readonly id: number
  readonly uid: number
  readonly name: string
  readonly permissions: readonly string[]
  readonly nets: BlockList | undefined
  readonly expiresAt: number
  readonly loadedAt: number
  /** The user of the token with the rights from which it was created. */
  user?: { readonly rights: Rights; readonly user: User }
}

const CACHE_MS = 30_000
const CACHE_MAX = 10_000
/** Interval between writes of the last uses. */
const FLUSH_MS = 60_000

const INVALID: NoSession = { user: null, reason: 'token', because: '访问令牌无效、已过期或已撤销' }
const WRONG_NET: NoSession = { user: null, reason: 'token', because: '访问令牌不能在当前网络使用' }

/** Authenticates API tokens. Caches them for 30 s; a revocation clears the cache of every process at once. */
export class ApiTokens {
  readonly #known = new Map<string, KnownToken>()
  readonly #used = new Map<number, { at: number; ip: string }>()
  readonly #database: Database
  readonly #sessions: Sessions
  readonly #events: Events
  readonly #timer: NodeJS.Timeout
  #clearings = 0

  constructor(database: Database, sessions: Sessions, events: Events) {
    this.#database = database
    this.#sessions = sessions
    this.#events = events
    events.on('session', () => this.#forget())
    events.onReconnect(() => this.#forget())
    this.#timer = setInterval(() => void this.flush().catch(() => {}), FLUSH_MS).unref()
  }

  /** Returns true when the token is cached. */
  isKnown = (token: string | undefined) => this.#known.has(hash('sha256', token ?? '', 'binary'))

  /** Returns the account of a token with the rights that both the token and the account have. */
  async authenticate(token: string, address: string): Promise<AuthenticatedSession | NoSession> {
    const found = await this.#find(token)
    if (!found || performance.now() > found.expiresAt) return INVALID
    if (found.nets && !found.nets.check(address, familyOf(address))) return WRONG_NET
    const rights = await this.#sessions.rightsOf(found.uid)
    if (!rights) return INVALID
    this.#used.set(found.id, { at: performance.now(), ip: address })
    if (found.user?.rights !== rights) found.user = { rights, user: createTokenUser(rights, found) }
    return found.user
  }

  /** Clears the caches of all processes when the transaction commits. */
  publishRevoked = (db: Db) => this.#events.publish(db, 'session', { ids: [], reason: 'token' })

  /** Writes the collected last uses in one statement. */
  async flush() {
    if (this.#used.size === 0) return
    const entries = [...this.#used]
    this.#used.clear()
    await this.#database.pool.query(
      `update api_tokens t set last_use_time = now() - make_interval(secs => v.ago / 1000.0), last_use_ip = v.ip
       from unnest($1::int[], $2::float8[], $3::text[]) as v(id, ago, ip) where t.id = v.id`,
      [
        entries.map(([id]) => id),
        entries.map(([, { at }]) => performance.now() - at),
        entries.map(([, { ip }]) => ip.slice(0, 45)),
      ],
    )
  }

  async close() {
    clearInterval(this.#timer)
    await this.flush().catch(() => {})
  }

  #forget() {
    this.#clearings += 1
    this.#known.clear()
  }

  async #find(token: string): Promise<KnownToken | undefined> {
    const key = hash('sha256', token, 'binary')
    const known = this.#known.get(key)
    if (known && performance.now() - known.loadedAt < CACHE_MS) return known
    const clearings = this.#clearings
    const found = await this.#load(hashApiToken(token))
    if (this.#known.size > CACHE_MAX) this.#known.clear()
    // A row that was read before a revocation must not stay in the cache.
    if (found && clearings === this.#clearings) this.#known.set(key, found)
    else this.#known.delete(key)
    return found
  }

  async #load(hashed: Buffer): Promise<KnownToken | undefined> {
    const { rows } = await this.#database.pool.query<{
      id: number
      uid: number
      name: string
      permissions: string[]
      nets: string[]
      left_ms: number
    }>({
      name: 'api-token',
      text: `select id, uid, name, permissions, nets, extract(epoch from least(expire_time,
          case when token_hash <> $1 then former_until end) - now())::float8 * 1000 as left_ms
        from api_tokens where token_hash = $1 or former_hash = $1`,
      values: [hashed],
    })
    const row = rows[0]
    if (!row) return undefined
    const { left_ms: left, nets, ...facts } = row
    const now = performance.now()
    return { ...facts, nets: nets.length > 0 ? listOf(nets) : undefined, expiresAt: now + left, loadedAt: now }
  }
}

/** The user of a token is never a super administrator, and works in the account's own tenant. */
function createTokenUser(rights: Rights, { id, name, permissions }: KnownToken): User {
  const held = new Set(permissions.filter((each) => rights.permissions.has(each)))
  const limited = { ...rights, isSuper: false, permissions: held }
  return { ...createUser(limited, { id: `token:${id}`, tenantId: rights.tenantId }), tokenName: name }
}

const listOf = (nets: readonly string[]) => createNetList(parseNets(nets.join(',')).filter((net) => net !== undefined))
