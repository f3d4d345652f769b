import { sql } from 'drizzle-orm'
import type { Database } from '#core/database/client.ts'
import type { Events } from '#core/events/events.ts'

declare module '#core/services.ts' {
  interface ServiceExtensions {
    readonly playGuard: PlayGuard
  }
}

/** Facts that must stay true while a play address is used. */
export interface PlayPermit {
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

/** Resources whose change may disable an App account, its tenant or the App key. */
const ACCOUNT_RESOURCES: ReadonlySet<string> = new Set(['account', 'tenant', 'oss'])
/** Cached results expire after this time, because no event is published when a tenant expires. */
const KNOWN_FOR_MS = 30_000
const MAX_KNOWN = 20_000

/**
 * Decides whether a play address is still valid. Device, tenant and App account must be unchanged and enabled, the App
 * session must not be over, and the consent must not be withdrawn. Results are cached until a device or a consent changes, so that segments need no query.
 */
export class PlayGuard {
  readonly #database: Database
  readonly #known = new Map<string, { readonly isAllowed: Promise<boolean>; readonly at: number }>()
  readonly #unsubscribe: (() => void)[]

  constructor(database: Database, events: Events) {
    this.#database = database
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

  isAllowed(permit: PlayPermit, now: number): Promise<boolean> {
    const { deviceId, tenantId, ownerId, consentId, keyId, keyEpoch, accountEpoch } = permit
    const key = [deviceId, tenantId, ownerId, consentId, keyId, keyEpoch, accountEpoch].join('.')
    const known = this.#known.get(key)
    if (known && now - known.at < KNOWN_FOR_MS) return known.isAllowed
    if (this.#known.size >= MAX_KNOWN) this.#known.clear()
    const isAllowed = this.#read(permit)
    this.#known.set(key, { isAllowed, at: now })
    isAllowed.catch(() => this.#known.delete(key))
    return isAllowed
  }

  async #read(permit: PlayPermit): Promise<boolean> {
    const { deviceId, tenantId, ownerId, consentId, keyId, keyEpoch, accountEpoch } = permit
    const { rows } = await this.#database.db.execute(sql`
      select 1 from devices d join tenants t on t.id = d.tenant_id
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
    return rows.length > 0
  }
}
