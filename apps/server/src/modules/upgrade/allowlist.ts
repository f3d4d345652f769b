import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { DeviceFilter, type DeviceFilterValues } from '@oms/contract/device/device-fields.ts'
import { MAX_SYNCHRONOUS_ALLOWLIST_CHANGES, type otaAllowlist } from '@oms/contract/upgrade/upgrade-allowlist.ts'
import { and, inArray, not, or, type SQL, sql, eq } from 'drizzle-orm'
import { analyzeTable } from '#core/database/analyze.ts'
import type { Db } from '#core/database/client.ts'
import { buildSort, paginate } from '#core/database/lists/list-query.ts'
import { refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import type { Worker } from '#core/jobs/types.ts'
import { accounts } from '#core/schema/account.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { Services } from '#core/services.ts'
import { loadJobUser } from '#core/spreadsheet/transfer-jobs.ts'
import { transact, transactWithOperationLog, inTransaction } from '#core/tenancy/tenancy.ts'
import { buildDeviceFilter, buildGroupCondition, visibleDevices } from '#modules/device/device-filter.ts'
import { devices, deviceModels } from '#modules/device/schema.ts'
import { findArtifactKind } from './artifact-kind.ts'
import {
  lockLargeAllowlist,
  LARGE_ALLOWLIST,
  toAuditTarget,
  requireChangeableVersion,
  formatVersionName,
  type StoredVersion,
  publishReleaseChanged,
  requireVersion,
  isTargetDevice,
} from './release.ts'
import { otaWhites } from './schema.ts'

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
async function changeAllowlistByFilter(
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

const KIND = 'ota-white'
/** Estimated bytes of one allowlist row with its two index entries. Used to calculate the progress of the job. */
const BYTES_A_ROW = 100
const LOOK_MS = 500
const TIMEOUT = '120s'

interface Payload {
  readonly otaId: number
  readonly action: 'put' | 'remove'
  readonly filter: object
  /** Kind of the version (firmware or software). The job checks the permission of this kind. */
  readonly kind: number
}

/**
 * Starts a job that changes the allowlist of one version. Returns undefined while another job changes the same list.
 */
const addAllowlistJob = (ctx: Ctx, { name, ...payload }: Payload & { name: string }) =>
  transact(ctx, (db) =>
    ctx.services.jobs.add(db, {
      kind: KIND,
      title: name,
      uid: ctx.user.uid,
      tenantId: ctx.user.tenantId,
      payload,
      uniqueKey: `${KIND}:${payload.otaId}`,
    }),
  )

export const registerAllowlistJob = (services: Services) =>
  services.jobs.register(KIND, whiteWorker(services), {
    concurrency: 2,
    maxPerTenant: 1,
    timeLimitSeconds: 30 * 60,
  })

const whiteWorker =
  (services: Services): Worker =>
  async (job, progress, signal) => {
    const { otaId, action, filter, kind } = job.payload as Payload
    const user = await loadJobUser(services, job, findArtifactKind(kind).white.putAll.access)
    const inSight = <T>(work: (db: Db, version: StoredVersion, condition: SQL) => Promise<T>) =>
      inTransaction(services.database, user, async (db) => {
        const version = await requireChangeableVersion(db, user, otaId)
        const condition = await eligibleDevicesMatching(db, user, version, DeviceFilter.parse(filter))
        await db.execute(sql.raw(`set local statement_timeout = '${TIMEOUT}'`))
        signal.throwIfAborted()
        return work(db, version, condition)
      })
    const watched = action === 'put' ? await watchGrowth(services, await inSight(sizes), progress) : undefined
    try {
      const rows = await inSight(async (db, version, condition) => {
        const onProgress = async (part: number) => {
          signal.throwIfAborted()
          await progress(Math.min(95, part * 95))
        }
        const count =
          action === 'put'
            ? await addMatchingDevices(db, otaId, condition, user.uid)
            : await removeDevicesInSteps(db, otaId, { devicesMeant: condition, onProgress })
        // The job was cancelled: the transaction rolls back all its changes.
        signal.throwIfAborted()
        const changer = { uid: user.uid, now: services.now(), twoPerson: services.config.otaTwoPerson }
        if (action === 'put' && count > 0) await lockLargeAllowlist(db, otaId, changer)
        await publishReleaseChanged(services, db, version.tenantId)
        return count
      })
      await analyzeTable(services, ['ota_whites'], 'vacuum (analyze)')
      return { rows }
    } finally {
      clearInterval(watched)
    }
  }

const sizes = (db: Db, _version: StoredVersion, condition: SQL) => db.$count(devices, condition)

/** Reports progress by the growth of the table, because one statement reports nothing before the statement ends. */
async function watchGrowth(services: Services, total: number, progress: Parameters<Worker>[1]) {
  const before = await sizeOf(services)
  const look = async () => progress(Math.min(95, (((await sizeOf(services)) - before) * 100) / (total * BYTES_A_ROW)))
  return setInterval(() => void look().catch(() => {}), LOOK_MS)
}

async function sizeOf({ database }: Services) {
  const { rows } = await database.pool.query<{ size: number }>(
    `select pg_total_relation_size('ota_whites')::float8 as size`,
  )
  return rows[0]?.size ?? 0
}

/**
 * Returns the condition for devices that an allowlist may contain: the version's model and tenants, and the
 * account's data scope.
 */
const eligibleDevices = (user: User, version: StoredVersion): SQL =>
  and(isTargetDevice(version), visibleDevices(user)) as SQL

/** Returns the eligible devices that match a filter. */
async function eligibleDevicesMatching(
  db: Db,
  user: User,
  version: StoredVersion,
  filter: Partial<DeviceFilterValues>,
) {
  const group = filter.groupId === undefined ? undefined : await buildGroupCondition(db, user, filter.groupId)
  return and(eligibleDevices(user, version), buildDeviceFilter(filter, group)) as SQL
}

const isOnAllowlist = (otaId: number) =>
  sql`exists (select from ota_whites w where w.ota_id = ${otaId} and w.device_id = ${devices.id})`

/** Selects devices with the columns of the allowlist page. */
const selectAllowlist = (db: Db, otaId: number) =>
  db
    .select({
      deviceId: devices.id,
      sn: devices.sn,
      devName: devices.devName,
      modelName: sql<string>`coalesce(${deviceModels.modelName}, '')`.as('white_model_name'),
      tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('white_tenant_name'),
      verCode: devices.verCode,
      online: devices.online,
      activateTime: devices.activateTime,
      status: devices.status,
      lastOnlineTime: devices.lastOnlineTime,
      createTime: devices.createTime,
      whiteTime: otaWhites.createTime,
      whiteByName: sql<string>`coalesce(nullif(${accounts.realname}, ''), ${accounts.account}, '')`.as('white_by_name'),
    })
    .from(devices)
    .leftJoin(otaWhites, and(eq(otaWhites.otaId, otaId), eq(otaWhites.deviceId, devices.id)))
    .leftJoin(deviceModels, eq(deviceModels.id, devices.modelId))
    .leftJoin(tenants, eq(tenants.id, devices.tenantId))
    .leftJoin(accounts, eq(accounts.uid, otaWhites.createBy))

/** Adds every device that matches a condition with one statement. Returns the number of added devices. */
async function addMatchingDevices(db: Db, otaId: number, devicesMeant: SQL, uid: number) {
  const { rowCount } = await db.execute(sql`insert into ota_whites (ota_id, device_id, create_by)
    select ${otaId}::int, ${devices.id}, ${uid}::int from ${devices} where ${devicesMeant} on conflict do nothing`)
  return rowCount ?? 0
}

/** Removes every device that matches a condition with one statement. */
async function removeMatchingDevices(db: Db, otaId: number, devicesMeant: SQL) {
  const { rowCount } = await db.execute(sql`delete from ota_whites w using ${devices}
    where w.ota_id = ${otaId} and w.device_id = ${devices.id} and ${devicesMeant}`)
  return rowCount ?? 0
}

/** Number of statements that empty an allowlist: few enough to be fast, enough to show progress. */
const STEPS = 40
const LEAST_ROWS = 5000

/**
 * Removes devices in ranges of ids within the caller's transaction. Calls `onProgress` after each range with the
 * completed part (0 to 1).
 */
export async function removeDevicesInSteps(
  db: Db,
  otaId: number,
  { devicesMeant, onProgress }: { devicesMeant: SQL; onProgress: (part: number) => Promise<void> },
) {
  const size = await db.$count(otaWhites, eq(otaWhites.otaId, otaId))
  const step = Math.max(LEAST_ROWS, Math.ceil(size / STEPS))
  const { rows } = await db.execute<{ upTo: number }>(sql`select max(device_id) as "upTo" from
    (select device_id, (row_number() over (order by device_id) - 1) / ${step}::int as stretch from ota_whites
     where ota_id = ${otaId}) w group by stretch order by 1`)
  let count = 0
  let after = 0
  for (const [at, { upTo }] of rows.entries()) {
    // The range is given for both tables: the planner does not derive the range of one table from the other.
    const stretch = sql`${devices.id} > ${after} and ${devices.id} <= ${upTo} and w.device_id > ${after} and w.device_id <= ${upTo}`
    const gone = await db.execute(sql`delete from ota_whites w using ${devices}
      where w.ota_id = ${otaId} and w.device_id = ${devices.id} and ${stretch} and ${devicesMeant}`)
    count += gone.rowCount ?? 0
    after = upTo
    await onProgress((at + 1) / rows.length)
  }
  return count
}
