import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { DATA_DIR_NOTE } from './database.ts'

/** A version that is enabled and that nobody released yet, with devices of its model, each with a token. */
export interface Fleet {
  readonly otaId: number
  readonly verName: string
  readonly modelCode: string
  readonly sns: readonly string[]
}

/** The token of a device made here. */
export const tokenOf = (sn: string) => `token-of-${sn}`

async function connected() {
  const client = new pg.Client({ host: join(readFileSync(DATA_DIR_NOTE, 'utf8'), 'run'), user: 'oms', database: 'oms' })
  await client.connect()
  return client
}

/** A device of a model of its own, and of a customer whose devices ask every second: a person would not wait for hours. */
export interface Poller {
  readonly deviceId: number
  readonly sn: string
  readonly modelName: string
}

export async function makePoller(): Promise<Poller> {
  const name = randomBytes(3).toString('hex').toUpperCase()
  const sn = `POLL-${name}`
  const hash = createHash('sha256').update(tokenOf(sn)).digest()
  const client = await connected()
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

/**
 * Writes a fleet into the database, of firmware or of a package: thousands of devices by hand would tell nothing more. Uploading, enabling and adding
 * devices have journeys of their own.
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
