import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { and, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import type { Database, Db } from '#db/client.ts'
import { accounts, sessions } from '#db/schema/account.ts'
import type { Config } from './config.ts'
import type { Events } from './events.ts'
import { isVisit, loadRights, mayVisit, type Rights, userOf } from './rights.ts'
import type { Admitted, EndReason, NewSession, NoSession, SessionFacts } from './session-facts.ts'
import { readUserAgent } from './user-agent.ts'

const CACHE_MS = 30_000
const CACHE_MAX = 20_000
/** Last-active times reach the database at most this often. */
const TOUCH_MS = 60_000
/** Sessions named in one announcement. */
const ANNOUNCED = 100
/** A session that would live longer than one may was opened while the clock ran ahead. */
const CLOCK_SLACK_MS = 5 * 60_000

interface Live {
  readonly id: string
  readonly uid: number
  readonly tenantId: number | null
  readonly cookieHash: Buffer | null
  readonly expiresAt: number
  readonly endReason: EndReason | null
  lastActive: number
  written: number
  loadedAt: number
}

const sha256 = (text: string) => hash('sha256', text, 'buffer')
/** Ended by somebody else: the client learns it by HTTP 401 rather than by the body code alone. */
const ENDED_BY_OTHERS: ReadonlySet<string> = new Set(['forced', 'replaced', 'disabled', 'password'])

/**
 * Sessions and rights, cached in this process for 30 s and forgotten at once when any process announces a change
 * (`session` and `rights` events). A cached check costs one sha256 and two map look-ups.
 */
export class Sessions {
  readonly #byToken = new Map<string, Live>()
  readonly #rights = new Map<number, { at: number; rights: Promise<Rights | undefined>; known?: Rights | undefined }>()
  readonly #database: Database
  readonly #config: Config
  readonly #dirty = new Map<string, number>()
  readonly #timer: NodeJS.Timeout

  constructor(database: Database, config: Config, events: Events) {
    this.#database = database
    this.#config = config
    events.on('session', () => this.#byToken.clear())
    events.on('rights', () => this.#rights.clear())
    events.onReconnect(() => this.forgetAll())
    this.#timer = setInterval(() => void this.flush().catch(() => {}), TOUCH_MS).unref()
  }

  /** Opens a session; beyond the allowed number of them the longest idle ones end. */
  async open(db: Db, { uid, tenantId, ip, userAgent, console }: SessionFacts): Promise<NewSession> {
    const token = randomBytes(32).toString('base64url')
    const cookie = console ? randomBytes(32).toString('base64url') : null
    const sessionId = randomBytes(16).toString('hex')
    await db.insert(sessions).values({
      id: sessionId,
      tokenHash: sha256(token),
      cookieHash: cookie ? sha256(cookie) : null,
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

  /** Who sends this ticket, if the session is alive; console sessions need their cookie beside it. */
  async admit(ticket: string | undefined, cookie: string | undefined): Promise<Admitted | NoSession> {
    if (!ticket || ticket.length > 64) return { user: null, reason: 'none' }
    // As text, which the cache's key is: a buffer for each call would cost three times the hash.
    const known = this.#cached(`token${hash('sha256', ticket, 'binary')}`)
    return this.#check(
      known ?? (await this.#byHash(sha256(ticket), 'token')),
      (live) => !live.cookieHash || fits(live.cookieHash, cookie),
    )
  }

  /** Who holds this cookie: enough to show a picture (`<img>` sends no headers), never to change anything. */
  async admitCookie(cookie: string | undefined): Promise<Admitted | NoSession> {
    if (!cookie || cookie.length > 64) return { user: null, reason: 'none' }
    return this.#check(await this.#byHash(sha256(cookie), 'cookie'), () => true)
  }

  /** Like `admit`, but looking does not count as activity: an open page alone must not keep a session alive for ever. */
  async peek(ticket: string | undefined, cookie: string | undefined): Promise<Admitted | NoSession> {
    if (!ticket || ticket.length > 64) return { user: null, reason: 'none' }
    const live = await this.#byHash(sha256(ticket), 'token')
    return this.#check(live, (found) => !found.cookieHash || fits(found.cookieHash, cookie), false)
  }

  /** Ends sessions by id for good; every process forgets them within the flight time of one NOTIFY. */
  async end(db: Db, ids: readonly string[], reason: EndReason): Promise<number> {
    if (ids.length === 0) return 0
    const ended = await db
      .update(sessions)
      .set({ endTime: sql`now()` as unknown as string, endReason: reason })
      .where(and(inArray(sessions.id, [...ids]), isNull(sessions.endTime)))
      .returning({ id: sessions.id })
    if (ended.length)
      await announce(
        db,
        ended.map(({ id }) => id),
        reason,
      )
    return ended.length
  }

  /** Ends every session of these accounts, but for `except`. */
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

  /** Ends every session of a tenant's own accounts: what they do next is refused with the tenant's reason. */
  async endOfTenant(db: Db, tenantId: number): Promise<number> {
    const live = await db
      .select({ id: sessions.id })
      .from(sessions)
      .innerJoin(accounts, eq(accounts.uid, sessions.uid))
      .where(and(eq(accounts.tenantId, tenantId), isNull(sessions.endTime)))
    let ended = 0
    for (let at = 0; at < live.length; at += ANNOUNCED)
      ended += await this.end(
        db,
        live.slice(at, at + ANNOUNCED).map(({ id }) => id),
        'tenant',
      )
    return ended
  }

  /** Lets sessions work in another tenant from now on, on every process as soon as this commits. */
  async move(db: Db, where: SQL | undefined, tenantId: number | null): Promise<number> {
    const moved = await db
      .update(sessions)
      .set({ tenantId })
      .where(and(where, isNull(sessions.endTime)))
      .returning({ id: sessions.id })
    // Nobody is logged out: the announcement only makes every process read the rows again.
    if (moved.length) await announce(db, [], 'tenant')
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
    this.#byToken.clear()
    this.#rights.clear()
  }

  /** Writes last-active times gathered since the last call, in one statement. */
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

  async #check(live: Live | undefined, fitting: (live: Live) => boolean, counts = true): Promise<Admitted | NoSession> {
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
    // Who lost the right to be there is out at once: whatever it did next would land in the wrong tenant.
    if (isVisit(rights, live.tenantId) && !mayVisit(rights, live.tenantId as number))
      return { user: null, reason: 'ended' }
    return { user: userOf(rights, live), rights }
  }

  async #withTenant({ uid }: Live): Promise<NoSession> {
    const because = (await this.rightsOf(uid))?.barredBecause
    return because ? { user: null, reason: 'barred', because } : { user: null, reason: 'ended' }
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
    const key = keyOf(hash, column)
    const fresh = this.#cached(key)
    if (fresh) return fresh
    const cached = this.#byToken.get(key)
    const live = await this.#load(hash, column)
    if (!live) return undefined
    if (cached) live.lastActive = Math.max(live.lastActive, cached.lastActive)
    if (this.#byToken.size > CACHE_MAX) this.#byToken.clear()
    this.#byToken.set(key, live)
    return live
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
    if (!row) return undefined
    // Ages are the database's: its clock and this machine's may differ, and this one's may be set while it runs.
    const now = performance.now()
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

const keyOf = (hashed: Buffer, column: 'token' | 'cookie') => `${column}${hashed.toString('latin1')}`

const fits = (expected: Buffer, cookie: string | undefined) =>
  cookie !== undefined && timingSafeEqual(expected, sha256(cookie))

const announce = (db: Db, ids: string[], reason: EndReason) =>
  db.execute(
    sql`select pg_notify('oms', ${JSON.stringify({ topic: 'session', ids: ids.slice(0, ANNOUNCED), reason })})`,
  )
