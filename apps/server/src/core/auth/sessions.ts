import { hash, timingSafeEqual, randomBytes } from 'node:crypto'
import { sql, and, eq, inArray, isNull, type SQL } from 'drizzle-orm'
import type { Db, Database } from '#core/database/client.ts'
import type { EndReason, AuthenticatedSession, Live, NewSession, NoSession, SessionFacts } from './session-types.ts'
import type { Config } from '#core/config/config.ts'
import { createSecret } from '#core/crypto/keys.ts'
import type { Events } from '#core/events/events.ts'
import { readUserAgent } from '#core/http/user-agent.ts'
import { accounts, sessions } from '#core/schema/account.ts'
import { canSwitchTenant, hasSwitchedTenant, loadRights, type Rights, createUser } from './rights.ts'

const computeSha256 = (text: string) => hash('sha256', text, 'buffer')

/** Returns the cache key of a session. */
const formatSessionCacheKey = (hashed: Buffer, column: 'token' | 'cookie') => `${column}${hashed.toString('latin1')}`

/** Compares a cookie with its stored digest in constant time. */
const matchesCookie = (expected: Buffer, cookie: string | undefined) =>
  cookie !== undefined && timingSafeEqual(expected, computeSha256(cookie))

/** End reasons caused by another person. Clients receive HTTP 401 for them instead of only a body code. */
const ENDED_BY_OTHERS: ReadonlySet<string> = new Set(['forced', 'replaced', 'disabled', 'password'])
/** Maximum number of session ids in one notification. */
const MAX_SESSIONS_PER_NOTIFICATION = 100

/** Publishes ended sessions to all processes when the transaction commits. */
const publishEndedSessions = (db: Db, ids: string[], reason: EndReason) =>
  db.execute(
    sql`select pg_notify('oms', ${JSON.stringify({ topic: 'session', ids: ids.slice(0, MAX_SESSIONS_PER_NOTIFICATION), reason })})`,
  )

const CACHE_MS = 30_000
const CACHE_MAX = 20_000
/** Minimum interval between writes of last-active times. */
const TOUCH_MS = 60_000
/** Tolerance for the age of sessions that were created while the clock was wrong. */
const CLOCK_SLACK_MS = 5 * 60_000

/**
 * Caches sessions and rights in this process for 30 s. A published change (`session` and `rights` events) drops the
 * entries at once. A cached check costs two SHA-256 hashes and three map look-ups.
 */
export class Sessions {
  readonly #byToken = new Map<string, Live>()
  readonly #rights = new Map<number, { at: number; rights: Promise<Rights | undefined>; known?: Rights | undefined }>()
  readonly #database: Database
  readonly #config: Config
  /** Number of cache clearings. A row read before a clearing may belong to an ended session. */
  #clearings = 0
  readonly #dirty = new Map<string, number>()
  readonly #timer: NodeJS.Timeout

  constructor(database: Database, config: Config, events: Events) {
    this.#database = database
    this.#config = config
    events.on('session', () => this.#forgetSessions())
    events.on('rights', () => this.#rights.clear())
    events.onReconnect(() => this.forgetAll())
    this.#timer = setInterval(() => void this.flush().catch(() => {}), TOUCH_MS).unref()
  }

  /** Creates a session. Ends the longest idle sessions beyond the allowed number. */
  async open(db: Db, { uid, tenantId, ip, userAgent, console }: SessionFacts): Promise<NewSession> {
    const [token, cookie] = [createSecret(), console ? createSecret() : null]
    const sessionId = randomBytes(16).toString('hex')
    await db.insert(sessions).values({
      id: sessionId,
      tokenHash: computeSha256(token),
      cookieHash: cookie ? computeSha256(cookie) : null,
      uid,
      tenantId,
      ip,
      userAgent: userAgent.slice(0, 512),
      ...readUserAgent(userAgent),
      expireTime: sql`now() + make_interval(hours => ${this.#config.session.hours})` as unknown as string,
    })
    const surplus = db
      .select({ id: sessions.id })
      .from(sessions)
      .where(and(eq(sessions.uid, uid), isNull(sessions.endTime)))
      .orderBy(sql`${sessions.lastActiveTime} desc, (${sessions.id} = ${sessionId}) desc`)
      .offset(this.#config.session.perAccount)
    await db
      .update(sessions)
      .set({ endTime: sql`now()` as unknown as string, endReason: 'replaced' })
      .where(inArray(sessions.id, surplus))
    return { token, cookie, sessionId }
  }

  /** Returns the session of this session ticket when it is valid. Console sessions also need their cookie. */
  async authenticate(ticket?: string, cookie?: string): Promise<AuthenticatedSession | NoSession> {
    if (!ticket || ticket.length > 64) return { user: null, reason: 'none' }
    // The key is a text, because a buffer for each call would cost three times as much as the hash.
    const known = this.#cached(`token${hash('sha256', ticket, 'binary')}`)
    return this.#check(
      known ?? (await this.#byHash(computeSha256(ticket), 'token')),
      (live) => !live.cookieHash || matchesCookie(live.cookieHash, cookie),
    )
  }

  /** Returns true when the session of this session ticket or cookie is cached. */
  isKnown(ticket: string | undefined, cookie: string | undefined): boolean {
    const [secret = '', column] = ticket ? [ticket, 'token'] : [cookie, 'cookie']
    return secret.length <= 64 && this.#byToken.has(`${column}${hash('sha256', secret, 'binary')}`)
  }

  /** Returns the session of this cookie. Cookies authenticate only image downloads, never changes. */
  async authenticateCookie(cookie: string | undefined): Promise<AuthenticatedSession | NoSession> {
    if (!cookie || cookie.length > 64) return { user: null, reason: 'none' }
    return this.#check(await this.#byHash(computeSha256(cookie), 'cookie'), () => true)
  }

  /** Authenticates without recording activity, because an open page alone must not keep a session alive. */
  async peek(ticket: string | undefined, cookie: string | undefined): Promise<AuthenticatedSession | NoSession> {
    if (!ticket || ticket.length > 64) return { user: null, reason: 'none' }
    const live = await this.#byHash(computeSha256(ticket), 'token')
    return this.#check(live, (found) => !found.cookieHash || matchesCookie(found.cookieHash, cookie), false)
  }

  /** Ends sessions by id. Every process drops them as soon as the NOTIFY arrives. */
  async end(db: Db, ids: readonly string[], reason: EndReason): Promise<number> {
    if (ids.length === 0) return 0
    const ended = await db
      .update(sessions)
      .set({ endTime: sql`now()` as unknown as string, endReason: reason })
      .where(and(inArray(sessions.id, [...ids]), isNull(sessions.endTime)))
      .returning({ id: sessions.id })
    if (ended.length)
      await publishEndedSessions(
        db,
        ended.map(({ id }) => id),
        reason,
      )
    return ended.length
  }

  /** Ends every session of these accounts except the session `except`. */
  async endOf(db: Db, uids: readonly number[], reason: EndReason, except?: string): Promise<number> {
    if (uids.length === 0) return 0
    const live = await db
      .select({ id: sessions.id })
      .from(sessions)
      .where(and(inArray(sessions.uid, [...uids]), isNull(sessions.endTime)))
    return this.end(
      db,
      live.flatMap(({ id }) => (id === except ? [] : [id])),
      reason,
    )
  }

  /** Ends the sessions of a tenant's accounts. Their next request is refused with the tenant's reason. */
  async endOfTenant(db: Db, tenantId: number): Promise<number> {
    const live = await db
      .select({ id: sessions.id })
      .from(sessions)
      .innerJoin(accounts, eq(accounts.uid, sessions.uid))
      .where(and(eq(accounts.tenantId, tenantId), isNull(sessions.endTime)))
    let ended = 0
    for (let at = 0; at < live.length; at += MAX_SESSIONS_PER_NOTIFICATION)
      ended += await this.end(
        db,
        live.slice(at, at + MAX_SESSIONS_PER_NOTIFICATION).map(({ id }) => id),
        'tenant',
      )
    return ended
  }

  /** Switches sessions to another tenant. Every process follows after the commit. */
  async move(db: Db, where: SQL | undefined, tenantId: number | null): Promise<number> {
    const moved = await db
      .update(sessions)
      .set({ tenantId })
      .where(and(where, isNull(sessions.endTime)))
      .returning({ id: sessions.id })
    // Ends no session: the notification makes every process read the rows again.
    if (moved.length) await publishEndedSessions(db, [], 'tenant')
    return moved.length
  }

  rightsOf(uid: number): Promise<Rights | undefined> {
    const cached = this.#rights.get(uid)
    if (cached && performance.now() - cached.at < CACHE_MS) return cached.rights
    const rights = loadRights(this.#database.db, uid)
    const entry: { at: number; rights: typeof rights; known?: Rights | undefined } = { at: performance.now(), rights }
    this.#rights.set(uid, entry)
    rights.then(
      (known) => (entry.known = known),
      () => this.#rights.delete(uid),
    )
    if (this.#rights.size > CACHE_MAX) this.#rights.clear()
    return rights
  }

  forgetAll() {
    this.#forgetSessions()
    this.#rights.clear()
  }

  #forgetSessions() {
    this.#clearings += 1
    this.#byToken.clear()
  }

  /** Writes the collected last-active times in one statement. */
  async flush() {
    if (this.#dirty.size === 0) return
    const entries = [...this.#dirty]
    this.#dirty.clear()
    await this.#database.pool.query(
      `update sessions s set last_active_time = now() - make_interval(secs => v.ago / 1000.0)
       from unnest($1::text[], $2::float8[]) as v(id, ago) where s.id = v.id and s.end_time is null`,
      [entries.map(([id]) => id), entries.map(([, at]) => performance.now() - at)],
    )
  }

  async close() {
    clearInterval(this.#timer)
    await this.flush().catch(() => {})
  }

  async #check(
    live: Live | undefined,
    fitting: (live: Live) => boolean,
    counts = true,
  ): Promise<AuthenticatedSession | NoSession> {
    if (!live || !fitting(live)) return { user: null, reason: 'none' }
    if (live.endReason === 'tenant') return this.#withTenant(live)
    if (live.endReason) return { user: null, reason: ENDED_BY_OTHERS.has(live.endReason) ? 'ended' : 'expired' }
    const now = performance.now()
    const idleSince = now - live.lastActive
    const { hours, idleMinutes } = this.#config.session
    if (now > live.expiresAt || live.expiresAt - now > hours * 3_600_000 + CLOCK_SLACK_MS)
      return { user: null, reason: 'expired' }
    if (idleSince > idleMinutes * 60_000) return { user: null, reason: 'expired' }
    if (counts) this.#touch(live, now)
    const cached = this.#rights.get(live.uid)
    const rights = cached?.known && now - cached.at < CACHE_MS ? cached.known : await this.rightsOf(live.uid)
    if (!rights) return { user: null, reason: 'ended' }
    // Ends a session that lost access to its tenant, so that no write reaches the wrong tenant.
    if (hasSwitchedTenant(rights, live.tenantId) && !canSwitchTenant(rights, live.tenantId as number))
      return { user: null, reason: 'ended' }
    return { user: createUser(rights, live), rights }
  }

  async #withTenant({ uid }: Live): Promise<NoSession> {
    const because = (await this.rightsOf(uid))?.suspendedReason
    return because ? { user: null, reason: 'suspended', because } : { user: null, reason: 'ended' }
  }

  #touch(live: Live, now: number) {
    live.lastActive = now
    if (now - live.written < TOUCH_MS) return
    live.written = now
    this.#dirty.set(live.id, now)
  }

  #cached(key: string): Live | undefined {
    const live = this.#byToken.get(key)
    return live && performance.now() - live.loadedAt < CACHE_MS ? live : undefined
  }

  async #byHash(hash: Buffer, column: 'token' | 'cookie'): Promise<Live | undefined> {
    const key = formatSessionCacheKey(hash, column)
    const fresh = this.#cached(key)
    if (fresh) return fresh
    const cached = this.#byToken.get(key)
    const live = await this.#loadUnchanged(hash, column)
    if (!live) {
      this.#byToken.delete(key)
      return undefined
    }
    if (cached) live.lastActive = Math.max(live.lastActive, cached.lastActive)
    if (this.#byToken.size > CACHE_MAX) this.#byToken.clear()
    this.#byToken.set(key, live)
    return live
  }

  /** Reads the row again when sessions ended meanwhile, because the row may be outdated. */
  async #loadUnchanged(hash: Buffer, column: 'token' | 'cookie'): Promise<Live | undefined> {
    for (;;) {
      const clearings = this.#clearings
      const live = await this.#load(hash, column)
      if (clearings === this.#clearings) return live
    }
  }

  async #load(hash: Buffer, column: 'token' | 'cookie'): Promise<Live | undefined> {
    const { rows } = await this.#database.pool.query<{
      id: string
      uid: number
      tenant_id: number | null
      cookie_hash: Buffer | null
      left_ms: number
      idle_ms: number
      end_reason: EndReason | null
    }>({
      name: `session-by-${column}`,
      text: `select id, uid, tenant_id, cookie_hash, extract(epoch from expire_time - now())::float8 * 1000 as left_ms,
        extract(epoch from now() - last_active_time)::float8 * 1000 as idle_ms, end_reason
        from sessions where ${column}_hash = $1 limit 1`,
      values: [hash],
    })
    const row = rows[0]
    if (!row) return
    const now = performance.now() // The database computes ages, because its clock can differ from this machine's.
    return {
      id: row.id,
      uid: row.uid,
      tenantId: row.tenant_id,
      cookieHash: row.cookie_hash,
      expiresAt: now + row.left_ms,
      endReason: row.end_reason,
      lastActive: now - row.idle_ms,
      written: now - row.idle_ms,
      loadedAt: now,
    }
  }
}
