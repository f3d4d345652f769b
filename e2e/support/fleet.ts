import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { DATA_DIR_NOTE } from './database.ts'

/** An enabled version without a release, with devices of its model that have tokens. */
export interface Fleet {
  readonly otaId: number
  readonly verName: string
  readonly modelCode: string
  readonly sns: readonly string[]
}

/** Returns the token of a device created here. */
export const tokenOf = (sn: string) => `token-of-${sn}`

/** Connects to the database in this data directory; by default to that of the journeys. */
export async function connected(dataDir = readFileSync(DATA_DIR_NOTE, 'utf8')) {
  const client = new pg.Client({ host: join(dataDir, 'run'), user: 'oms', database: 'oms' })
  await client.connect()
  return client
}

/**
 * Creates a device with its own model and tenant. Its devices poll every second, because the default interval is
 * hours.
 */
export interface Poller {
  readonly deviceId: number
  readonly sn: string
  readonly modelName: string
}

export async function makePoller(dataDir?: string): Promise<Poller> {
  const name = randomBytes(3).toString('hex').toUpperCase()
  const sn = `POLL-${name}`
  const hash = createHash('sha256').update(tokenOf(sn)).digest()
  const client = await connected(dataDir)
  const { rows } = await client.query<{ id: number }>(
    `with t as (insert into tenants (tenant_no, name) values ($1, $1) returning id),
       a as (insert into device_access (tenant_id, poll_seconds) select id, 1 from t),
       y as (insert into device_types (type_name, type_code) values ($1, $1) returning id),
       m as (insert into device_models (type_id, model_name, model_code) select id, $1, $1 from y returning id)
     insert into devices (tenant_id, model_id, sn, dev_name, ver_code, token_hash)
     select t.id, m.id, $2, '门口摄像机', 100, $3 from t, m returning id`,
    [`P${name}`, sn, hash],
  )
  await client.end()
  return { deviceId: rows[0]?.id as number, sn, modelName: `P${name}` }
}

/** Creates devices of a tenant with a long name that have a firmware version with a name; returns their common prefix. */
export async function makeListedDevices(count: number): Promise<string> {
  const name = randomBytes(3).toString('hex').toUpperCase()
  const client = await connected()
  await client.query(
    `with made as (insert into tenants (tenant_no, name) values ($1, $3) on conflict do nothing returning id),
       t as (select id from made union all select id from tenants where name = $3 and deleted_at is null limit 1),
       y as (insert into device_types (type_name, type_code) values ($1, $1) returning id),
       m as (insert into device_models (type_id, model_name, model_code) select id, $1, $1 from y returning id),
       v as (insert into ota_versions (tenant_id, model_id, ver_code, ver_name, release_date, status, components)
         select 1, id, 3200, 'C30 3.1.0', '2026-01-01 08:00:00', 1, 0 from m)
     insert into devices (tenant_id, model_id, sn, dev_name, ver_code)
     select t.id, m.id, $1 || lpad(n::text, 6, '0'), '收银台 12 层', 3200 from t, m, generate_series(1, $2) as n`,
    [name, count, '深圳市云栖安防设备有限公司'],
  )
  await client.end()
  return name
}

/**
 * Inserts devices of a firmware or package version into the database, because adding thousands by hand tests nothing
 * more. Uploading, enabling and adding devices have their own journeys.
 */
export async function makeFleet(count: number, packageName = ''): Promise<Fleet> {
  const name = randomBytes(3).toString('hex').toUpperCase()
  const sns = Array.from({ length: count }, (_, index) => `${name}-${String(index + 1).padStart(4, '0')}`)
  const client = await connected()
  const one = async (text: string, values: readonly unknown[]) =>
    (await client.query(text, [...values])).rows[0]?.id as number
  const typeId = await one('insert into device_types (type_name, type_code) values ($1, $1) returning id', [`T${name}`])
  const modelId = await one(
    'insert into device_models (type_id, model_name, model_code) values ($1, $2, $2) returning id',
    [typeId, `M${name}`],
  )
  const verName = `夜视优化 ${name}`
  const otaId = await one(
    `insert into ota_versions (tenant_id, model_id, ver_code, ver_name, release_date, status, components, enable_time, kind, package_name)
     values (1, $1, 200, $2, '2026-01-01 08:00:00', 1, 0, now(), $3, $4) returning ota_id as id`,
    [modelId, verName, packageName ? 2 : 1, packageName],
  )
  await client.query('insert into ota_policies (ota_id, tenant_id) values ($1, 1)', [otaId])
  const hashes = sns.map((sn) => createHash('sha256').update(tokenOf(sn)).digest())
  await client.query(
    `insert into devices (tenant_id, model_id, sn, dev_name, ver_code, token_hash)
     select 1, $1, sn, '摄像机', 100, hash from unnest($2::text[], $3::bytea[]) as t(sn, hash)`,
    [modelId, sns, hashes],
  )
  await client.end()
  return { otaId, verName, modelCode: `M${name}`, sns }
}
