import type { devices as calls } from '@oms/contract/device-info.ts'
import type { DeviceRow } from '@oms/contract/device-row.ts'
import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import { MAX_ROWS } from '@oms/contract/kernel/page.ts'
import { and, asc, type Column, desc, eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Db } from '#db/client.ts'
import { accounts } from '#db/schema/account.ts'
import { devices } from '#db/schema/device.ts'
import type { Ctx, User } from '#kernel/context.ts'
import { devicesMatching, groupCondition, visibleDevices } from '#kernel/fleet/device-filter.ts'
import { notFound } from '#kernel/problem.ts'
import { among, offsetOf, orderOf, paginate } from '#kernel/query.ts'
import { shownDevices } from './device-rows.ts'
import { fewWithPart, MIN_KEYED_PART, pageWithPart } from './device-serials.ts'

export type Filter = Omit<ParsedOf<typeof calls.list>, 'pageNum' | 'pageSize'>

type Asked = Pick<Filter, 'orderByColumn' | 'isAsc' | 'beginTime' | 'endTime'>

/**
 * Newest first unless a column is asked for. A range of days is read in the order of days: in that of ids all that was
 * added since would be passed over first.
 */
export function sortOf({ orderByColumn, isAsc, beginTime, endTime }: Asked): SQL[] {
  if (orderByColumn === 'verCode') return orderOf({ orderByColumn, isAsc }, { verCode: devices.verCode }, devices.id)
  const direction = orderByColumn && isAsc === 'asc' ? asc : desc
  // Neither column is ever null, so that their indexes serve both ways as they are.
  if (orderByColumn === 'sn') return [direction(devices.sn)]
  const byTime = orderByColumn === 'createTime' || beginTime !== undefined || endTime !== undefined
  return byTime ? [direction(devices.createTime), direction(devices.id)] : [direction(devices.id)]
}

/** Looks up what a filter only names: a group's rule. */
export async function conditionsOf(db: Db, user: User, filter: Partial<Filter>): Promise<SQL | undefined> {
  const group = filter.groupId === undefined ? undefined : await groupCondition(db, user, filter.groupId)
  return and(visibleDevices(user), devicesMatching(filter, group))
}

export async function list(ctx: Ctx, input: ParsedOf<typeof calls.list>) {
  const { db, user } = ctx
  if (isPlain(user, input)) return hotPage(ctx, input)
  const bySerial = await serialPage(ctx, input)
  if (bySerial) return bySerial
  const where = await conditionsOf(db, user, input)
  if (isNarrow(input)) {
    const few = await fewIds(db, where)
    if (few) return { list: await rowsAmong(db, few, input), total: few.length }
  }
  return paginate(db, shownDevices(db).where(where).$dynamic(), input, sortOf(input))
}

/**
 * A page found by a part of a serial, by an index made for that, whatever else is asked for. Nothing when other filters
 * or orders come with a part so common that more devices have it than a pager reaches.
 */
async function serialPage({ db, user, kernel }: Ctx, input: ParsedOf<typeof calls.list>) {
  const { sn, ...others } = input
  if (sn === undefined || sn.length < MIN_KEYED_PART) return undefined
  const isAlone = isPlain(user, others) && HOT_KEYS.every((key) => input[key] === undefined)
  if (isAlone && input.orderByColumn === undefined) {
    const { ids, ...total } = await pageWithPart(db, sn, offsetOf(input), input.pageSize)
    const query = () => ({ select: () => shownDevices(db).$dynamic(), key: devices.id, order: [desc(devices.id)] })
    return { list: await kernel.lists.among('device', query, ids), ...total }
  }
  const hits = await fewWithPart(db, sn)
  if (!hits) return undefined
  const ids = await fewIds(db, and(await conditionsOf(db, user, others), among(devices.id, hits)))
  return ids && { list: await rowsAmong(db, ids, input), total: ids.length }
}

/** Filters that mean a handful of devices, most of the time. */
const NARROW = [
  'sn',
  'sns',
  'devName',
  'mac',
  'imei',
  'uid',
  'tag',
  'groupId',
  'typeId',
  'activated',
  'verCodeMin',
  'verCodeMax',
] as const
const isNarrow = (filter: Partial<Filter>) => NARROW.some((key) => filter[key] !== undefined)

/**
 * All ids a filter means, newest first, when no more than a pager can reach: read without an order, the trigram index
 * answers at once, where a planner that has to sort may rather walk through ten million devices by id. As one array,
 * because ten thousand rows would take longer to receive than to find.
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

/** One page of the devices with these ids. */
async function rowsAmong(db: Db, ids: readonly number[], input: ParsedOf<typeof calls.list>): Promise<DeviceRow[]> {
  const offset = offsetOf(input)
  if (offset >= ids.length) return []
  if (input.orderByColumn !== undefined || isTimed(input))
    return shownDevices(db)
      .where(among(devices.id, ids))
      .orderBy(...sortOf(input))
      .limit(input.pageSize)
      .offset(offset)
  // In their own order already: only those of the page are read.
  return rowsWith(db, ids.slice(offset, offset + input.pageSize))
}

const rowsWith = (db: Db, ids: readonly number[]): Promise<DeviceRow[]> =>
  ids.length === 0 ? Promise.resolve([]) : shownDevices(db).where(among(devices.id, ids)).orderBy(desc(devices.id))

/** Most pages are asked for by staff who see everything, with no filter or exact ones: these go the short way. */
const isPlain = (user: User, input: Partial<Filter>) => seesAll(user) && !isNarrow(input) && !isTimed(input)

const seesAll = ({ scope }: User) => scope.tenants === 'all' && !scope.ownOnly
const isTimed = ({ beginTime, endTime }: Asked) => beginTime !== undefined || endTime !== undefined

const HOT = { tenantId: devices.tenantId, modelId: devices.modelId, status: devices.status, online: devices.online }
const HOT_KEYS = Object.keys(HOT) as (keyof typeof HOT)[]

function hotPage({ db, user, kernel }: Ctx, input: ParsedOf<typeof calls.list>) {
  const given = input as Readonly<Record<string, unknown>>
  const set = HOT_KEYS.filter((key) => input[key] !== undefined)
  const shape = ['device', ...set, input.orderByColumn, input.isAsc].join(' ')
  const query = () => {
    const exact = Object.entries(HOT).map(([key, column]: [string, Column]) =>
      set.some((name) => name === key) ? eq(column, sql.placeholder(key)) : undefined,
    )
    return {
      select: () => shownDevices(db).$dynamic(),
      key: devices.id,
      where: and(visibleDevices(user), ...exact),
      order: sortOf(input),
    }
  }
  const values = Object.fromEntries(set.map((key) => [key, given[key]]))
  return kernel.lists.page(shape, query, values, input)
}

/** The pasted serials with any other filter: a page of what was found, and which were not. */
export async function find(ctx: Ctx, { sns, ...input }: ParsedOf<typeof calls.find>) {
  const { db, user } = ctx
  const asked = [...new Set(sns)]
  const known = await db
    .select({ sn: devices.sn })
    .from(devices)
    .where(and(visibleDevices(user), devicesMatching({ sns: asked })))
  const there = new Set(known.map(({ sn }) => sn))
  const where = await conditionsOf(db, user, { ...input, sns: asked })
  const ids = (await fewIds(db, where)) ?? []
  const page = await rowsAmong(db, ids, { ...input, sns: asked })
  return { list: page, total: ids.length, missing: asked.filter((sn) => !there.has(sn)), ids }
}

const creator = alias(accounts, 'creator')
const editor = alias(accounts, 'editor')
const named = ({ realname, account }: { realname: Column; account: Column }) =>
  sql<string>`coalesce(nullif(${realname}, ''), ${account}, '')`

export async function get({ db, user }: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const [found] = await shownDevices(db).where(and(eq(devices.id, id), visibleDevices(user)))
  if (!found) throw notFound('设备')
  const [hands] = await db
    .select({
      createByName: named(creator),
      updateByName: named(editor),
      updateTime: devices.updateTime,
    })
    .from(devices)
    .leftJoin(creator, eq(creator.uid, devices.createBy))
    .leftJoin(editor, eq(editor.uid, devices.updateBy))
    .where(eq(devices.id, id))
  if (!hands) throw notFound('设备')
  return { ...found, ...hands }
}
