import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Demo } from './call.ts'

/** Batch number, vendor, licence type, count, order number, age in days, and the first device to bind. */
const BATCHES = [
  ['PPCS-2026-01', 2, 'P2P', 520, 'PO-26-0117', 75, 0],
  ['TUTK-2026-02', 1, 'P2P-PRO', 480, 'PO-26-0238', 40, 200],
] as const
/** Number of certificates and grants of the largest tenants. */
const SHARES = [
  [160, 240],
  [110, 150],
  [60, 60],
] as const

/**
 * Creates two deliveries of certificates, partly allotted to tenants and bound to devices, and their grants.
 * Everything except the current time follows from row numbers.
 */
export async function seedDemoLicenses({ db, actor }: Demo) {
  const { uid } = actor.user
  const { rows: customers } = await db.execute<{ id: number }>(sql`select tenant_id as id from devices
    where tenant_id > 1 and deleted_at is null group by 1 order by count(*) desc, 1 limit ${SHARES.length}`)
  for (const batch of BATCHES)
    await addBatch(
      db,
      uid,
      batch,
      customers.map(({ id }) => id),
    )
  await db.execute(sql`insert into license_grants (grant_no, tenant_id, type_code, quota, valid_from, valid_to, status, contract_no, remark, apply_by, apply_name, create_by)
    values ('GR26DEMO90', ${customers[0]?.id ?? 1}, 'P2P-PRO', 300, current_date, current_date + 365, 0, 'HT-2026-090', '二期项目追加', null, '孙海川', null)`)
  await db.execute(
    sql`insert into license_thresholds (vendor, threshold, update_by) values (1, 50, ${uid}), (2, 50, ${uid})`,
  )
}

async function addBatch(db: Db, uid: number, batch: (typeof BATCHES)[number], customers: readonly number[]) {
  const [batchNo, vendor, typeCode, count, orderNo, age, offset] = batch
  const { rows } = await db.execute<{
    id: number
  }>(sql`insert into license_batches (batch_no, vendor, order_no, file_name, total, create_by, create_time)
    values (${batchNo}, ${vendor}, ${orderNo}, ${`${batchNo}.xlsx`}, ${count}, ${uid}, now() - make_interval(days => ${age})) returning id`)
  const batchId = rows[0]?.id as number
  let first = 1
  for (const [at, [share, quota]] of SHARES.entries()) {
    const tenantId = customers[at]
    if (tenantId === undefined) continue
    const grantId = await addGrant(db, { tenantId, typeCode, quota, share, age, no: vendor * 10 + at })
    await insert(db, { batchId, vendor, typeCode, age, uid, first, last: first + share - 1, tenantId, grantId, offset })
    first += share
  }
  await insert(db, { batchId, vendor, typeCode, age, uid, first, last: count, tenantId: null, grantId: null, offset })
  await bindDevices(db, batchId)
}

interface Part {
  readonly batchId: number
  readonly vendor: number
  readonly typeCode: string
  readonly age: number
  readonly uid: number
  readonly first: number
  readonly last: number
  readonly tenantId: number | null
  readonly grantId: number | null
  readonly offset: number
}

/**
 * Inserts certificates. Of ten certificates of a tenant, six are active, two bound and two unused; a few are
 * suspended or scrapped.
 */
async function insert(db: Db, part: Part) {
  const { batchId, vendor, typeCode, age, uid, first, last, tenantId, grantId, offset } = part
  const letters = sql`translate(md5('license' || n), '0123456789abcdef', 'QWERTYUPASDFGHJK')`
  const code =
    vendor === 1
      ? sql`substr(upper(${letters}), 1, 20)`
      : sql`'HCZN-' || lpad(n::text, 6, '0') || '-' || substr(${letters}, 1, 5)`
  await db.execute(sql`
    with free as (select id, row_number() over (order by id) as k from devices where tenant_id = ${tenantId}::int and uid = '' and deleted_at is null
      and create_time < now() - interval '35 days'),
    n as (select n, n - ${first} + 1 as k, (n - ${first}) % 10 as r from generate_series(${first}::int, ${last}::int) n),
    s as (select n.n, n.k, d.id as device_id, case when ${tenantId}::int is null then 0 when n.k % 53 = 0 then 6 when d.id is null or n.r >= 8 then 1
      when n.r >= 6 then 2 when n.k % 37 = 0 then 4 else 3 end as state
      from n left join free d on d.k = n.k + ${offset})
    insert into licenses (uid, vendor, type_code, batch_id, tenant_id, grant_id, state, device_id, import_time, allot_time, bind_time,
      activate_time, expire_time, warned_days, update_by)
    select ${code}, ${vendor}, ${typeCode}, ${batchId}, ${tenantId}::int, ${grantId}::int, state,
      case when state in (2, 3, 4) then device_id end, now() - make_interval(days => ${age}),
      case when state > 0 then now() - make_interval(days => (k % 29 + 2 + k % 5)::int) end,
      case when state in (2, 3, 4) then now() - make_interval(days => (k % 29 + 1)::int, hours => 3) end,
      case when state in (3, 4) then now() - make_interval(days => (k % 29)::int, hours => 2) end,
      now() + case when state = 3 and k % 11 = 0 then make_interval(days => (k % 300 + 8)::int) else make_interval(days => (400 + k * 2)::int) end,
      case when state = 3 and k % 11 = 0 and k % 300 < 23 then 30 end, ${uid} from s order by n`)
}

/** Sets the certificate of each device and writes the history of each certificate. */
async function bindDevices(db: Db, batchId: number) {
  await db.execute(
    sql`update devices d set uid = l.uid from licenses l where l.device_id = d.id and l.batch_id = ${batchId}`,
  )
  await db.execute(sql`
    insert into license_events (license_id, action, from_state, to_state, tenant_id, device_id, device_sn, oper_name, reason, create_time)
    select l.id, e.action, e.f, e.t, case when e.t > 0 then l.tenant_id end, case when e.t in (2, 3, 4) then l.device_id end,
      case when e.t in (2, 3, 4) then coalesce(d.sn, '') else '' end, e.who, e.why, e.at
    from licenses l left join devices d on d.id = l.device_id, lateral (values
      ('import', null::int, 0, '林晓雯', '首次入库', l.import_time, true), ('allot', 0, 1, '林晓雯', '按授权分配', l.allot_time, l.state > 0),
      ('bind', 1, 2, '陈浩', '', l.bind_time, l.state in (2, 3, 4)), ('activate', 2, 3, '设备', '设备激活', l.activate_time, l.state in (3, 4)),
      ('suspend', 3, 4, '宋磊', '客户欠费暂停', l.activate_time + interval '1 hour', l.state = 4),
      ('scrap', 1, 6, '宋磊', '标签损坏', l.allot_time + interval '1 day', l.state = 6)
    ) as e (action, f, t, who, why, at, happened)
    where l.batch_id = ${batchId} and e.happened order by e.at, l.id`)
}

interface Grant {
  readonly tenantId: number
  readonly typeCode: string
  readonly quota: number
  readonly share: number
  readonly age: number
  readonly no: number
}

/** Creates a grant, issued with the delivery and charged for the tenant's certificates. */
async function addGrant(db: Db, { tenantId, typeCode, quota, share, age, no }: Grant): Promise<number> {
  const { rows } = await db.execute<{ id: number }>(sql`
    with g as (insert into license_grants (grant_no, tenant_id, type_code, quota, used, valid_from, valid_to, status, contract_no, apply_name,
        audit_name, audit_time, audit_remark, create_time)
      values (${`GR26DEMO${no}`}, ${tenantId}, ${typeCode}, ${quota}, ${share}, current_date - ${age}::int, current_date + ${500 - age * 4}::int,
        ${quota === share ? 2 : 1}, ${`HT-2026-0${no}`}, '林晓雯', '宋磊', now() - make_interval(days => ${age}), '合同已核对', now() - make_interval(days => ${age}, hours => 2))
      returning id),
    l as (insert into license_ledger (grant_id, tenant_id, kind, amount, balance, oper_name, reason, create_time)
      select g.id, ${tenantId}::int, x.kind, x.amount, x.balance, x.who, x.why, now() - make_interval(days => x.days)
      from g, (values (1, ${quota}::int, ${quota}::int, '宋磊', '合同已核对', ${age}::int), (3, -${share}::int, ${quota - share}::int, '林晓雯', '按授权分配', ${age - 6}::int))
        as x (kind, amount, balance, who, why, days) order by x.kind)
    select id from g`)
  return rows[0]?.id as number
}
