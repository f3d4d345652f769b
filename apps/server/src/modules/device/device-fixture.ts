import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Caller } from '#test/harness.ts'

export const DEVICE_URL = '/api/v1/device/info'
export const DEVICE_PERMISSIONS = [
  'list',
  'query',
  'add',
  'edit',
  'remove',
  'enable',
  'tag',
  'move',
  'transfer',
  'token',
  'command',
  'import',
  'export',
].map((action) => `device:apkManage:${action}`)

/** Creates a model with its own device type. */
export async function insertModel(db: Db, code: string): Promise<number> {
  const { rows } = await db.execute<{ id: number }>(sql`
    with t as (insert into device_types (type_name, type_code) values (${`类型${code}`}, ${`t-${code}`}) returning id)
    insert into device_models (type_id, model_name, model_code) select id, ${`型号${code}`}, ${code} from t returning id`)
  return rows[0]?.id as number
}

export async function insertGroup(db: Db, tenantId: number, name: string, rule?: object): Promise<number> {
  const { rows } = await db.execute<{ id: number }>(sql`insert into device_groups (tenant_id, group_name, kind, rule)
    values (${tenantId}, ${name}, ${rule ? 2 : 1}, ${rule ? JSON.stringify(rule) : null}::jsonb) returning id`)
  return rows[0]?.id as number
}

export async function insertTenant(db: Db, name: string): Promise<number> {
  const { rows } = await db.execute<{ id: number }>(sql`select id from tenants where name = ${name}`)
  return rows[0]?.id as number
}

/** Adds a device and returns its id. */
export async function addDevice(me: Caller, device: { sn: string; modelId: number } & Record<string, unknown>) {
  const { code, msg, data } = await me.call('POST', DEVICE_URL, device)
  if (code !== 200) throw new Error(msg)
  return data.id as number
}

export async function findSerialsByQuery(me: Caller, query: Record<string, string | number>): Promise<string[]> {
  const text = new URLSearchParams(Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]))
  const { code, msg, data } = await me.call('GET', `${DEVICE_URL}/page?${text}`)
  if (code !== 200) throw new Error(msg)
  if (data.total !== data.list.length) throw new Error(`${data.total} counted, ${data.list.length} listed`)
  return data.list.map(({ sn }: { sn: string }) => sn)
}
