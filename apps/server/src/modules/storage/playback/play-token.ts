import { type SQL, sql } from 'drizzle-orm'
import { readNumbers, signNumbers } from '#core/crypto/signed-token.ts'
import type { Database } from '#core/database/client.ts'
import type { Events } from '#core/events/events.ts'

const USE = 'play'
const MIN_MS = 3600_000
const MAX_MS = 12 * 3600_000
/** Cached results expire after this time, because no event is published when a tenant expires. */
const PERMIT_KNOWN_MS = 30_000
const MAX_KNOWN_PERMITS = 20_000

/** Contents of a play token. All times are milliseconds since 1970. */
export interface PlayToken extends PlayPermit {
  readonly channel: number
  readonly begin: number
  readonly end: number
  readonly expires: number
}

const FIELDS = [
  'deviceId',
  'channel',
  'tenantId',
  'ownerId',
  'consentId',
  'keyId',
  'keyEpoch',
  'accountEpoch',
  'begin',
  'end',
  'expires',
] as const

/** Token fields of a view by staff, which uses a consent instead of an App session. */
export const NO_SESSION = { keyId: 0, keyEpoch: 0, accountEpoch: 0 } as const

/** Signs a play address that is valid for twice the length of the range, at least 1 h and at most 12 h. */
export function createPlayToken(secretKey: Buffer, range: Omit<PlayToken, 'expires'>, now: number) {
  const expires = now + Math.min(Math.max(MIN_MS, 2 * (range.end - range.begin)), MAX_MS)
  const values = { ...range, expires }
  return {
    expires,
    token: signNumbers(
      secretKey,
      USE,
      FIELDS.map((field) => values[field]),
    ),
  }
}

/** Returns the contents of a token; undefined when the signature is wrong or the time is over. */
export function readPlayToken(secretKey: Buffer, token: string, now: number): PlayToken | undefined {
  const numbers = readNumbers(secretKey, USE, token, FIELDS.length)
  if (!numbers) return undefined
  const permit = Object.fromEntries(FIELDS.map((field, at) => [field, numbers[at]])) as unknown as PlayToken
  return now < permit.expires ? permit : undefined
}

/** Address of a file below a token, relative to the server. */
export const formatPlayUrl = (token: string, file: string) => `/api/v1/oss/play/${token}/${file}`

/** Address of a playlist. Segments have addresses relative to the playlist. */
export const formatPlaylistUrl = (token: string) => formatPlayUrl(token, 'index.m3u8')

declare module '#core/services.ts' {
  interface ServiceExtensions {
    readonly playGuard: PlayGuard
  }
}

/** Facts that must stay true while a play address is used. */
interface PlayPermit {
  readonly deviceId: number
  readonly tenantId: number
  /** App account whose recordings are played; 0: a device without an account. */
  readonly ownerId: number
  /** Consent with which staff views the recordings. 0 when the owner plays them. */
  readonly consentId: number
  /** App key of the owner's session, with the epochs of key and account. 0 when staff views with a consent. */
  readonly keyId: number
  readonly keyEpoch: number
  readonly accountEpoch: number
}

/** Deletion of recordings whose objects may still be stored. All times are milliseconds since 1970. */
interface Deletion {
  /** Null: all channels. */
  readonly channel: number | null
  /** Recordings that start in this interval are deleted. */
  readonly fromMs: number
  readonly untilMs: number
  /** The recordings may be played before this time. */
  readonly dueMs: number
}

/** A recording of the device of a permit. */
interface Played {
  readonly channel: number
  readonly startMs: number
}

/** Resources whose change may disable an App account, its tenant or the App key. */
const ACCOUNT_RESOURCES: ReadonlySet<string> = new Set(['account', 'tenant', 'oss'])

/**
 * Decides whether a play address is still valid, and whether a recording is deleted. Device, tenant and App account must
 * be unchanged and enabled, the App session must not be over, and the consent must not be withdrawn. Results are cached
 * until a device, a consent or a recording is changed, so that segments need no query.
 */
export class PlayGuard {
  readonly #database: Database
  readonly #keepDays: SQL
  /** Deletions by permit; undefined when the permit is over. */
  readonly #known = new Map<
    string,
    { readonly deletions: Promise<readonly Deletion[] | undefined>; readonly at: number }
  >()
  readonly #unsubscribe: (() => void)[]

  /** `keepDays`: days for which recordings stay after the last package of their channel. */
  constructor(database: Database, events: Events, keepDays: SQL) {
    this.#database = database
    this.#keepDays = keepDays
    const forget = () => this.#known.clear()
    this.#unsubscribe = [
      events.on('fleet', ({ table }) => table === 'devices' && forget()),
      events.on('consent', forget),
      events.on('changed', ({ resource }) => ACCOUNT_RESOURCES.has(resource) && forget()),
      events.onReconnect(forget),
    ]
  }

  close() {
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
  }

  async isAllowed(permit: PlayPermit, now: number): Promise<boolean> {
    return (await this.#readCached(permit, now)) !== undefined
  }

  /** Returns whether a recording is deleted or the storage of its channel is over, also while the object remains. */
  async isDeleted(permit: PlayPermit, { channel, startMs }: Played, now: number): Promise<boolean> {
    const deletions = await this.#readCached(permit, now)
    return (deletions ?? []).some(
      (each) =>
        (each.channel ?? channel) === channel && startMs >= each.fromMs && startMs < each.untilMs && now >= each.dueMs,
    )
  }

  #readCached(permit: PlayPermit, now: number) {
    const { deviceId, tenantId, ownerId, consentId, keyId, keyEpoch, accountEpoch } = permit
    const key = [deviceId, tenantId, ownerId, consentId, keyId, keyEpoch, accountEpoch].join('.')
    const known = this.#known.get(key)
    if (known && now - known.at < PERMIT_KNOWN_MS) return known.deletions
    if (this.#known.size >= MAX_KNOWN_PERMITS) this.#known.clear()
    const deletions = this.#read(permit)
    this.#known.set(key, { deletions, at: now })
    deletions.catch(() => this.#known.delete(key))
    return deletions
  }

  /** Returns waiting deletions, and the ends of the storage of all channels; undefined when the permit is over. */
  async #read(permit: PlayPermit): Promise<readonly Deletion[] | undefined> {
    const { deviceId, tenantId, ownerId, consentId, keyId, keyEpoch, accountEpoch } = permit
    const { rows } = await this.#database.db.execute<{ deletions: Deletion[] }>(sql`
      select (select coalesce(json_agg(x), '[]') from (
          select p.channel, p.from_ms as "fromMs", p.until_ms as "untilMs", 0 as "dueMs" from oss_purges p
          where p.state = 0 and p.device_id = d.id and p.tenant_id = d.tenant_id and p.owner_id in (0, ${ownerId})
          union all
          select q.channel, 0, ${Number.MAX_SAFE_INTEGER},
            ceil(extract(epoch from q.end_time + make_interval(days => ${this.#keepDays})) * 1000)
          from oss_queues q where q.device_id = d.id and q.tenant_id = d.tenant_id and q.suspended = 0
            and q.end_time is not null) x) as deletions
      from devices d join tenants t on t.id = d.tenant_id
      where d.id = ${deviceId} and d.tenant_id = ${tenantId} and coalesce(d.app_account_id, 0) = ${ownerId}
        and d.deleted_at is null and t.deleted_at is null and t.status = 1 and coalesce(t.expire_time > now(), true)
        and (${ownerId} = 0 or exists (
          select from app_accounts a where a.uid = ${ownerId} and a.status = 1 and a.deleted_at is null
            and (${keyId} = 0 or a.session_epoch = ${accountEpoch})))
        and (${keyId} = 0 or exists (
          select from oss_app_keys k where k.id = ${keyId} and k.tenant_id = t.id and k.status = 1
            and k.deleted_at is null and k.session_epoch = ${keyEpoch}))
        and (${consentId} = 0 or exists (
          select from oss_consents c where c.id = ${consentId} and c.device_id = d.id and c.withdraw_time is null
            and c.valid_until > now()))`)
    return rows[0]?.deletions
  }
}
