import type { devices as calls } from '@oms/contract/device/device-info.ts'
import type { DeviceRow } from '@oms/contract/device/device-row.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { MAX_ROWS } from '@oms/contract/core/page.ts'
import { and, asc, type Column, desc, eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Db } from '#core/database/client.ts'
import { accounts } from '#core/schema/account.ts'
import { devices } from './schema.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { buildDeviceFilter, buildGroupCondition, visibleDevices } from './fleet/device-filter.ts'
import { notFound } from '#core/http/api-error.ts'
import { isPreparedRequest, paginateLarge } from '#core/database/lists/large-list.ts'
import { among, computePageOffset, buildSort } from '#core/database/lists/list-query.ts'
import { selectDevices } from './device-rows.ts'

export type DeviceListFilter = Omit<ParsedOf<typeof calls.list>, 'pageNum' | 'pageSize'>

type Asked = Pick<DeviceListFilter, 'orderByColumn' | 'isAsc' | 'beginTime' | 'endTime'>

/**
 * Returns the sort order: newest first unless a column is given. A date range is sorted by date, because a scan by
 * id would first skip all newer devices.
 */
export function buildDeviceSort({ orderByColumn, isAsc, beginTime, endTime }: Asked): SQL[] {
  if (orderByColumn === 'verCode') return buildSort({ orderByColumn, isAsc }, { verCode: devices.verCode }, devices.id)
  const direction = orderByColumn && isAsc === 'asc' ? asc : desc
  // Neither column is nullable, so one index serves both directions.
  if (orderByColumn === 'sn') return [direction(devices.sn)]
  const byTime = orderByColumn === 'createTime' || beginTime !== undefined || endTime !== undefined
  return byTime ? [direction(devices.createTime), direction(devices.id)] : [direction(devices.id)]
}

/** Returns the condition of a filter. Loads the rule of a group. */
export async function buildDeviceListFilter(
  db: Db,
  user: User,
  filter: Partial<DeviceListFilter>,
): Promise<SQL | undefined> {
  const group = filter.groupId === undefined ? undefined : await buildGroupCondition(db, user, filter.groupId)
  return and(visibleDevices(user), buildDeviceFilter(filter, group))
}

export async function listDevices(ctx: Ctx, input: ParsedOf<typeof calls.list>) {
  const { db, user } = ctx
  if (!isPreparedRequest(user, input, EXACT)) {
    const few = await fewIds(db, await buildDeviceListFilter(db, user, input))
    if (few) return { list: await rowsAmong(db, few, input), total: few.length }
  }
  return paginateLarge(ctx, input, {
    name: 'device',
    key: devices.id,
    exact: EXACT,
    order: buildDeviceSort(input),
    select: () => selectDevices(db).$dynamic(),
    where: () => buildDeviceListFilter(db, user, input),
    prepared: { where: visibleDevices(user) },
  })
}

/**
 * Returns all matching ids, newest first, or undefined when there are more than a pager reaches. Reads without an
 * order so that the planner uses the trigram index instead of scanning ten million devices by id. Returns one array,
 * because transferring ten thousand rows takes longer than the search.
 */
async function fewIds(db: Db, where: SQL | undefined): Promise<number[] | undefined> {
  const hits = db
    .select({ id: devices.id })
    .from(devices)
    .where(where)
    .limit(MAX_ROWS + 1)
  const { rows } = await db.execute<{ ids: number[] | null }>(sql`select array_agg(id) as ids from (${hits}) hits`)
  const ids = rows[0]?.ids ?? []
  return ids.length <= MAX_ROWS ? ids.sort((a, b) => b - a) : undefined
}

/** Returns one page of the devices with these ids. */
async function rowsAmong(db: Db, ids: readonly number[], input: ParsedOf<typeof calls.list>): Promise<DeviceRow[]> {
  const offset = computePageOffset(input)
  if (offset >= ids.length) return []
  if (input.orderByColumn !== undefined || isTimed(input))
    return selectDevices(db)
      .where(among(devices.id, ids))
      .orderBy(...buildDeviceSort(input))
      .limit(input.pageSize)
      .offset(offset)
  // The ids are already ordered: only those of the page are read.
  return rowsWith(db, ids.slice(offset, offset + input.pageSize))
}

const rowsWith = (db: Db, ids: readonly number[]): Promise<DeviceRow[]> =>
  ids.length === 0 ? Promise.resolve([]) : selectDevices(db).where(among(devices.id, ids)).orderBy(desc(devices.id))

const isTimed = ({ beginTime, endTime }: Asked) => beginTime !== undefined || endTime !== undefined

const EXACT = { tenantId: devices.tenantId, modelId: devices.modelId, status: devices.status, online: devices.online }

/** Finds devices by pasted serials and other filters. Returns a page of devices and the serials not found. */
export async function findDevices(ctx: Ctx, { sns, ...input }: ParsedOf<typeof calls.find>) {
  const { db, user } = ctx
  const asked = [...new Set(sns)]
  const known = await db
    .select({ sn: devices.sn })
    .from(devices)
    .where(and(visibleDevices(user), buildDeviceFilter({ sns: asked })))
  const there = new Set(known.map(({ sn }) => sn))
  const where = await buildDeviceListFilter(db, user, { ...input, sns: asked })
  const ids = (await fewIds(db, where)) ?? []
  const page = await rowsAmong(db, ids, { ...input, sns: asked })
  return { list: page, total: ids.length, missing: asked.filter((sn) => !there.has(sn)), ids }
}

const creator = alias(accounts, 'creator')
const editor = alias(accounts, 'editor')
const named = ({ realname, account }: { realname: Column; account: Column }) =>
  sql<string>`coalesce(nullif(${realname}, ''), ${account}, '')`

export async function getDevice({ db, user }: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const [found] = await selectDevices(db).where(and(eq(devices.id, id), visibleDevices(user)))
  if (!found) throw notFound('设备')
  const [hands] = await db
    .select({
      createByName: named(creator),
      updateByName: named(editor),
      updateTime: devices.updateTime,
      unknownVersion: sql<string>`coalesce((select a.data->>'verCode' from device_attributes a where a.device_id = ${devices.id}
        and a.data->>'verCode' !~ '^\\s*\\d{1,9}\\s*$' and not exists (select from ota_versions v
          where v.model_id = ${devices.modelId} and v.package_name = '' and v.ver_name = btrim(a.data->>'verCode')
          and v.deleted_at is null and v.tenant_id in (1, ${devices.tenantId}))), '')`,
    })
    .from(devices)
    .leftJoin(creator, eq(creator.uid, devices.createBy))
    .leftJoin(editor, eq(editor.uid, devices.updateBy))
    .where(eq(devices.id, id))
  if (!hands) throw notFound('设备')
  return { ...found, ...hands }
}
