import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { MAX_SYNCHRONOUS_ALLOWLIST_CHANGES, type otaAllowlist } from '@oms/contract/upgrade/upgrade-allowlist.ts'
import { and, inArray, not, or, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { devices } from '#modules/device/schema.ts'
import type { Ctx } from '#core/http/context.ts'
import { lockLargeAllowlist, LARGE_ALLOWLIST } from './releases/release-rules.ts'
import { refused } from '#core/http/api-error.ts'
import { buildSort, paginate } from '#core/database/lists/list-query.ts'
import { transact, transactWithOperationLog } from '#core/tenancy/tenancy.ts'
import {
  toAuditTarget,
  requireChangeableVersion,
  formatVersionName,
  type StoredVersion,
  publishReleaseChanged,
  requireVersion,
} from './releases/release-rows.ts'
import { addAllowlistJob } from './allowlist-job.ts'
import {
  eligibleDevices,
  eligibleDevicesMatching,
  isOnAllowlist,
  addMatchingDevices,
  removeMatchingDevices,
  selectAllowlist,
} from './allowlist-rows.ts'

type Page = ParsedOf<typeof otaAllowlist.inWhite>
type Named = ParsedOf<typeof otaAllowlist.put>
type Matching = ParsedOf<typeof otaAllowlist.putAll>

const SORTABLE = { sn: devices.sn, verCode: devices.verCode } as const

export const listAllowlistDevices = (ctx: Ctx, input: Page) => page(ctx, input, isOnAllowlist(input.otaId))
export const listDevicesOutsideAllowlist = (ctx: Ctx, input: Page) => page(ctx, input, not(isOnAllowlist(input.otaId)))

/**
 * Returns one page of a list of devices. The lists of the devices on and outside the allowlist use the same query with
 * opposite conditions. Each device is therefore in exactly one list.
 */
async function page({ db, user }: Ctx, { otaId, ...input }: Page, part: SQL) {
  const version = await requireVersion(db, user, otaId)
  const condition = and(await eligibleDevicesMatching(db, user, version, input), part)
  const query = selectAllowlist(db, otaId).where(condition).$dynamic()
  return paginate(db, query, input, buildSort(input, SORTABLE, devices.id))
}

export async function addToAllowlist(ctx: Ctx, input: Named) {
  const { db, user } = ctx
  const version = await requireChangeableVersion(db, user, input.otaId)
  const { ids, missing } = await meant(ctx, version, input)
  const count = await addMatchingDevices(db, input.otaId, inArrayOf(ids), user.uid)
  await recordChange(ctx, version, `加入 ${count} 台设备`, count)
  const unchanged = ids.length - count
  const held = await holdIfLarge(ctx, version, count)
  ctx.say(`加入成功！新加入 ${count} 台${inWords(unchanged, '已在白名单中', missing)}${held}`)
  return { count, unchanged, missing }
}

export async function removeFromAllowlist(ctx: Ctx, input: Named) {
  const { db, user } = ctx
  const version = await requireChangeableVersion(db, user, input.otaId)
  const { ids, missing } = await meant(ctx, version, input)
  const count = await removeMatchingDevices(db, input.otaId, inArrayOf(ids))
  await recordChange(ctx, version, `移出 ${count} 台设备`, count)
  return { count, unchanged: ids.length - count, missing }
}

export const addAllToAllowlist = (ctx: Ctx, input: Matching) => changeAll(ctx, input, 'put')
export const removeAllFromAllowlist = (ctx: Ctx, input: Matching) => changeAll(ctx, input, 'remove')

/**
 * Changes the list within the request or as a job, by the number of matching devices. Runs outside the request's
 * transaction.
 */
async function changeAll(ctx: Ctx, { otaId, ...filter }: Matching, action: 'put' | 'remove') {
  const { user } = ctx
  const version = await transact(ctx, (db) => requireChangeableVersion(db, user, otaId))
  const verb = action === 'put' ? '加入' : '移出'
  const many = await transact(ctx, async (db) => isMany(db, await conditionOf({ ...ctx, db }, version, filter, action)))
  if (many) {
    const jobId = await addAllowlistJob(ctx, {
      otaId,
      kind: version.kind,
      action,
      filter,
      name: `${verb}「${version.verName}」白名单`,
    })
    if (jobId === undefined) throw refused('该版本的白名单正在调整，请等待完成')
    ctx.audit({
      ...toAuditTarget(version),
      action: `按条件${verb}${formatVersionName(version)}的白名单，转为后台任务 ${jobId}`,
    })
    ctx.say(`设备超过 ${MAX_SYNCHRONOUS_ALLOWLIST_CHANGES} 台，已转为后台${verb}`)
    return { count: 0, jobId }
  }
  return transactWithOperationLog(ctx, async (db) => {
    const inside = { ...ctx, db }
    const count = await changeAllowlistByFilter(inside, version, filter, action)
    await recordChange(inside, version, `按条件${verb} ${count} 台设备`, count)
    if (action === 'put') ctx.say(`加入成功！新加入 ${count} 台${await holdIfLarge(inside, version, count)}`)
    return { count }
  })
}

/** Pauses the release for approval when the list exceeds the limit. Returns a note for the operation log. */
async function holdIfLarge({ db, user, now, services }: Ctx, { otaId }: StoredVersion, added: number) {
  if (added === 0) return ''
  const held = await lockLargeAllowlist(db, otaId, { uid: user.uid, now, twoPerson: services.config.otaTwoPerson })
  return held ? `；${LARGE_ALLOWLIST}` : ''
}

/** Applies the change with one statement. The job uses this function too. */
export async function changeAllowlistByFilter(
  { db, user }: Pick<Ctx, 'db' | 'user'>,
  version: StoredVersion,
  filter: Omit<Matching, 'otaId'>,
  action: 'put' | 'remove',
) {
  const condition = await eligibleDevicesMatching(db, user, version, filter)
  if (action === 'put') return addMatchingDevices(db, version.otaId, condition, user.uid)
  return removeMatchingDevices(db, version.otaId, condition)
}

/** Returns the condition for the matching devices that the change affects. */
async function conditionOf({ db, user }: Ctx, version: StoredVersion, filter: object, action: 'put' | 'remove') {
  const part = isOnAllowlist(version.otaId)
  return and(await eligibleDevicesMatching(db, user, version, filter), action === 'put' ? not(part) : part) as SQL
}

async function isMany(db: Db, condition: SQL) {
  const { rows } = await db.execute<{ n: number }>(
    sql`select count(*)::int as n from (select from ${devices} where ${condition} limit ${MAX_SYNCHRONOUS_ALLOWLIST_CHANGES + 1}) as counted`,
  )
  return (rows[0]?.n ?? 0) > MAX_SYNCHRONOUS_ALLOWLIST_CHANGES
}

const inArrayOf = (ids: readonly number[]): SQL => (ids.length === 0 ? sql`false` : inArray(devices.id, [...ids]))

/** Returns the named devices, and the serials that cannot be on this list. */
async function meant({ db, user }: Ctx, version: StoredVersion, { ids = [], sns = [] }: Named) {
  const wanted = [...new Set(sns)]
  const named = or(
    ids.length > 0 ? inArray(devices.id, ids) : undefined,
    wanted.length > 0 ? sql`${devices.sn} = any(${sql.param(wanted)}::text[])` : undefined,
  )
  const found = await db
    .select({ id: devices.id, sn: devices.sn })
    .from(devices)
    .where(and(eligibleDevices(user, version), named))
  const known = new Set(found.map(({ sn }) => sn))
  return { ids: found.map(({ id }) => id), missing: wanted.filter((sn) => !known.has(sn)) }
}

function inWords(unchanged: number, what: string, missing: readonly string[]) {
  const parts = [
    unchanged > 0 ? `${unchanged} 台${what}` : '',
    missing.length > 0 ? `${missing.length} 个序列号未找到` : '',
  ]
  const said = parts.filter(Boolean)
  return said.length > 0 ? `，${said.join('，')}` : ''
}

async function recordChange(ctx: Ctx, version: StoredVersion, what: string, count: number) {
  ctx.audit({ ...toAuditTarget(version), action: `${formatVersionName(version)}的白名单${what}` })
  if (count > 0) await publishReleaseChanged(ctx.services, ctx.db, version.tenantId)
}
