import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'

export const CERT = '/api/v1/license/cert'
export const GRANT = '/api/v1/license/grant'
export const CERT_ALL = [
  'list',
  'query',
  'import',
  'allot',
  'allotFree',
  'recall',
  'bind',
  'unbind',
  'suspend',
  'scrap',
  'export',
  'plain',
  'threshold',
].map((action) => `LicenseManage:Certificate:${action}`)
export const GRANT_ALL = ['list', 'query', 'add', 'audit', 'edit', 'revoke', 'export'].map(
  (action) => `LicenseManage:ConsentManage:${action}`,
)
const ISSUED = 'SCFHJKMPRT'

/** Returns the n-th UID of a fictional manufacturer. */
export const uidOf = (prefix: string, n: number) =>
  `${prefix}-${String(n).padStart(6, '0')}-${[...String(n).padStart(5, '0')].map((digit) => ISSUED[Number(digit)]).join('')}`

interface Stock {
  readonly prefix: string
  readonly count: number
  readonly vendor?: number
  readonly typeCode?: string
  readonly modelId?: number
  readonly expireTime?: string
  /** Tenant that the certificates are allotted to. */
  readonly tenantId?: number
}

/** Creates a batch of certificates like an import. Returns their ids, oldest first. */
export async function stock(db: Db, given: Stock): Promise<number[]> {
  const { prefix, count, vendor = 2, typeCode = 'P2P', modelId = null, expireTime = null, tenantId = null } = given
  const uids = Array.from({ length: count }, (_, at) => uidOf(prefix, at + 1))
  const { rows } = await db.execute<{ id: number }>(sql`
    with b as (insert into license_batches (batch_no, vendor, total) values (${`B-${prefix}`}, ${vendor}, ${count}) returning id),
    l as (insert into licenses (uid, vendor, type_code, batch_id, model_id, expire_time, state, tenant_id, allot_time)
      select u, ${vendor}, ${typeCode}, b.id, ${modelId}::int, ${expireTime}::timestamptz, ${tenantId === null ? 0 : 1},
        ${tenantId}::int, ${tenantId === null ? null : new Date().toISOString()}::timestamptz
      from b, unnest(${sql.param(uids)}::text[]) u returning id)
    select id from l order by id`)
  return rows.map(({ id }) => id)
}

/** Creates a device like the device screens. */
export async function deviceOf(db: Db, sn: string, tenantId: number, modelId: number): Promise<number> {
  const { rows } = await db.execute<{ id: number }>(
    sql`insert into devices (sn, tenant_id, model_id) values (${sn}, ${tenantId}, ${modelId}) returning id`,
  )
  return rows[0]?.id as number
}

export async function modelOf(db: Db, code: string): Promise<number> {
  const { rows } = await db.execute<{ id: number }>(sql`
    with t as (insert into device_types (type_name, type_code) values (${`类型${code}`}, ${`t-${code}`}) returning id)
    insert into device_models (type_id, model_name, model_code) select id, ${`型号${code}`}, ${code} from t returning id`)
  return rows[0]?.id as number
}

export async function tenantOf(db: Db, name: string): Promise<number> {
  const { rows } = await db.execute<{ id: number }>(sql`select id from tenants where name = ${name}`)
  return rows[0]?.id as number
}

export const stateOf = async (db: Db, id: number) => {
  const { rows } = await db.execute<{ state: number; tenant: number | null; device: number | null }>(
    sql`select state, tenant_id as tenant, device_id as device from licenses where id = ${id}`,
  )
  return rows[0]
}

export const actionsOf = async (db: Db, id: number) => {
  const { rows } = await db.execute<{ action: string }>(
    sql`select action from license_events where license_id = ${id} order by id`,
  )
  return rows.map(({ action }) => action)
}

/**
 * Returns violated invariants: stored counts equal counted rows, grants equal their ledgers, devices have their
 * certificates.
 */
export async function breaches(db: Db): Promise<string[]> {
  const { rows } = await db.execute<{ what: string }>(sql`
    select 'counts of state ' || coalesce(a.state, b.state) as what
      from (select state, sum(n)::int as n from license_counts group by state) a
      full join (select state, count(*)::int as n from licenses group by state) b using (state)
      where coalesce(a.n, 0) <> coalesce(b.n, 0)
    union all select 'batch ' || b.id from license_batches b where b.total <> (select count(*) from licenses l where l.batch_id = b.id)
    union all select 'balance of grant ' || g.id from license_grants g where g.status <> 0 and g.status <> 5 and g.quota - g.used <>
      (select coalesce(sum(amount), 0) from license_ledger e where e.grant_id = g.id)
    union all select 'ledger line ' || id from (select id, balance, sum(amount) over (partition by grant_id order by id) as run
      from license_ledger) e where e.balance <> e.run
    union all select 'use of grant ' || g.id from license_grants g where g.used <
      (select count(*) from licenses l where l.grant_id = g.id)
    union all select 'device ' || d.id from devices d full join (select * from licenses where device_id is not null) l on l.device_id = d.id
      where d.uid is distinct from coalesce(l.uid, '') or d.id is null
    union all select 'history of ' || l.id from licenses l join lateral (select to_state from license_events e
      where e.license_id = l.id order by e.id desc limit 1) e on true where e.to_state <> l.state`)
  return rows.map(({ what }) => what)
}
