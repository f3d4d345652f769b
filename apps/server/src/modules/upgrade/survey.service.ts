import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import type { otaRelease } from '@oms/contract/upgrade-release.ts'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { deviceGroups, deviceModels, devices } from '#db/schema/device.ts'
import { tenants } from '#db/schema/tenant.ts'
import type { Ctx, User } from '#kernel/context.ts'
import { visibleDevices } from '#kernel/fleet/device-filter.ts'
import type { Draft } from '#kernel/fleet/fleet.ts'
import { type RuleCode, verdictsOf } from '#kernel/fleet/match.ts'
import { invalid, notFound } from '#kernel/problem.ts'
import { PLATFORM_TENANT_ID } from '#kernel/tenancy.ts'
import { MODE, policyOf, STATE, stagesOf, type StoredVersion, versionOf } from './release-rows.ts'
import { firstShare, plannedStages, reachedBy } from './stage-steps.ts'

type Input = ParsedOf<typeof otaRelease.survey>
type Policy = NonNullable<Input['policy']>

const MOST_SHOWN = 50
const SPENT = { rule: 'spent', title: '之前升级失败或任务被取消，须先重试' } as const
const OUTRANKED = { rule: 'outranked', title: '会优先收到更高的版本' } as const
const BUSY = { rule: 'busy', title: '已有升级任务在进行' } as const

/** What keeps devices from a version, said of the devices. */
const OBSTACLES: Readonly<Record<RuleCode, string>> = {
  device: '设备已禁用',
  model: '设备型号已停用',
  version: '版本未启用',
  release: '未到版本的发布日期',
  newer: '已是该版本或更高版本',
  range: '当前版本不在适用的旧版本范围内',
  tenant: '所属客户不在发布范围内',
  state: '发布未在进行',
  white: '不在白名单中（测试发布只发给白名单）',
  group: '不在发布的设备分组内',
  share: '不在当前的发布比例内',
  window: '不在发布时间段内',
}

/** Who would get the version now, as the release stands or as this draft would make it: the poll's own code. */
export async function survey({ db, user, kernel, now }: Ctx, { otaId, policy }: Input) {
  const version = await versionOf(db, user, otaId)
  await kernel.fleet.sync()
  const draft = policy ? await draftOf(db, version, policy) : {}
  const rule = await kernel.fleet.ruleOf(otaId, draft)
  if (!rule) throw notFound('版本')
  const found = await kernel.fleet.survey(rule, now, { tenants: scopeOf(user, version), sample: 20 })
  const always = { ...rule, ...ALWAYS }
  const anyTime = isTimed(rule)
    ? await kernel.fleet.survey(always, now, { tenants: scopeOf(user, version), sample: 0 })
    : found
  const names = await namesOf(db, [...found.tenants.keys(), ...found.sample.map(({ tenantId }) => tenantId)])
  const stages = policy?.stages ?? (await stagesOf(db, otaId))
  const obstacles = [...found.obstacles].map(([code, count]) => ({
    rule: code as string,
    title: OBSTACLES[code],
    count,
  }))
  if (found.spent > 0) obstacles.push({ ...SPENT, count: found.spent })
  if (found.busy > 0) obstacles.push({ ...BUSY, count: found.busy })
  if (found.outranked > 0) obstacles.push({ ...OUTRANKED, count: found.outranked })
  return {
    count: found.count,
    total: found.total,
    obstacles: obstacles.sort((a, b) => b.count - a.count),
    sample: found.sample.map(({ tenantId, ...device }) => ({ ...device, tenantName: names.get(tenantId) ?? '' })),
    versions: mostOf(found.versions).map(([verCode, count]) => ({ verCode, count })),
    tenants: mostOf(found.tenants).map(([id, count]) => ({ id, name: names.get(id) ?? `客户 ${id}`, count })),
    groups: await groupsOf(db, found.groups),
    models: [{ id: version.modelId, name: await modelNameOf(db, version.modelId), count: found.count }],
    stages: stages.map(({ percent }) => ({ percent, count: heldBy(anyTime.places, percent) })),
  }
}

const ALWAYS = { startAt: null, endAt: null, dailyStart: null, dailyEnd: null } as const
const isTimed = ({
  startAt,
  endAt,
  dailyStart,
}: {
  startAt: number | null
  endAt: number | null
  dailyStart: number | null
}) => startAt !== null || endAt !== null || dailyStart !== null

/** Rule by rule why one device gets the version or does not. */
export async function why({ db, user, kernel, now }: Ctx, { otaId, sn }: ParsedOf<typeof otaRelease.why>) {
  const version = await versionOf(db, user, otaId)
  const [seen] = await db
    .select({ id: devices.id })
    .from(devices)
    .where(and(eq(devices.sn, sn), visibleDevices(user)))
  if (!seen) throw invalid('没有这台设备，请核对序列号', 'sn')
  await kernel.fleet.sync()
  const [rule, known] = [await kernel.fleet.ruleOf(otaId), await kernel.fleet.factsOf(seen.id)]
  if (!rule || !known) throw invalid('没有这台设备，请核对序列号', 'sn')
  const device = rule.packageName ? { ...known, verCode: await packageVersion(db, seen.id, rule.packageName) } : known
  const moment = kernel.fleet.moment(now)
  const rules: { rule: string; title: string; passed: boolean; words: string }[] = verdictsOf(rule, device, moment)
  const spent = kernel.fleet.isSpent(rule, device)
  rules.push({
    rule: 'spent',
    title: '没有失败或取消过的任务',
    passed: !spent,
    words: spent ? SPENT.title : '没有未处理的失败任务',
  })
  const open = await openTaskOf(db, seen.id, version)
  rules.push({
    rule: 'busy',
    title: '没有进行中的任务',
    passed: !open,
    words: open ? openInWords(open, version) : '没有进行中的任务',
  })
  const passed = rules.every((each) => each.passed)
  const higher = version.packageName ? undefined : kernel.fleet.match(known.slot, moment)
  return { sn, passed, words: wordsOf(passed, open?.otaId === otaId, version, higher), rules }
}

function wordsOf(
  passed: boolean,
  hasTask: boolean,
  { otaId }: StoredVersion,
  higher: { otaId: number; verName: string; verCode: number } | undefined,
) {
  if (hasTask) return '设备已领到该版本的任务'
  if (!passed) return '设备不会收到该版本'
  if (higher && higher.otaId !== otaId)
    return `设备满足条件，但会优先收到更高的版本「${higher.verName}」(${higher.verCode})`
  return '设备下次检查时会收到该版本'
}

/** As publishing would store it: with stages the share of the first one to come. */
async function draftOf(db: Db, version: StoredVersion, policy: Policy): Promise<Draft> {
  const stored = await policyOf(db, version.otaId)
  const before = await stagesOf(db, version.otaId)
  const reached = stored ? reachedBy({ policy: stored, stages: before }) : 0
  const stages = policy.mode === MODE.formal ? plannedStages(version.otaId, policy.stages, before, reached) : []
  const { mode, tenantIds, groupIds } = policy
  const times = await momentsOf(db, policy)
  return {
    mode,
    tenantIds,
    groupIds,
    state: STATE.running,
    percent: firstShare(stages, policy.percent),
    ...times,
    dailyStart: policy.dailyStart ?? null,
    dailyEnd: policy.dailyEnd ?? null,
  }
}

/** Wall clock texts as moments: the connection's zone is the console's. */
async function momentsOf(db: Db, { startTime, endTime }: Policy) {
  const { rows } = await db.execute<{ startAt: number | null; endAt: number | null }>(sql`
    select extract(epoch from ${startTime ?? null}::timestamptz)::float8 * 1000 as "startAt",
      extract(epoch from ${endTime ?? null}::timestamptz)::float8 * 1000 as "endAt"`)
  return { startAt: rows[0]?.startAt ?? null, endAt: rows[0]?.endAt ?? null }
}

/** Only devices the version can reach and the account may see are counted. */
function scopeOf({ scope }: User, { tenantId }: StoredVersion) {
  if (tenantId === PLATFORM_TENANT_ID) return scope.tenants
  return scope.tenants === 'all' || scope.tenants.includes(tenantId) ? [tenantId] : []
}

const heldBy = (places: Uint32Array, percent: number) =>
  places.subarray(0, percent).reduce((sum, count) => sum + count, 0)

const mostOf = <K>(counts: ReadonlyMap<K, number>) => [...counts].sort((a, b) => b[1] - a[1]).slice(0, MOST_SHOWN)

async function namesOf(db: Db, ids: readonly number[]) {
  if (ids.length === 0) return new Map<number, string>()
  const rows = await db
    .select({ id: tenants.id, name: tenants.name })
    .from(tenants)
    .where(inArray(tenants.id, [...new Set(ids)]))
  return new Map(rows.map(({ id, name }) => [id, name]))
}

async function groupsOf(db: Db, counts: ReadonlyMap<number, number>) {
  if (counts.size === 0) return []
  const rows = await db
    .select({ id: deviceGroups.id, name: deviceGroups.groupName })
    .from(deviceGroups)
    .where(inArray(deviceGroups.id, [...counts.keys()]))
  return rows.map(({ id, name }) => ({ id, name, count: counts.get(id) ?? 0 })).sort((a, b) => b.count - a.count)
}

async function modelNameOf(db: Db, modelId: number) {
  const [model] = await db
    .select({ name: deviceModels.modelName })
    .from(deviceModels)
    .where(eq(deviceModels.id, modelId))
  return model?.name ?? ''
}

async function packageVersion(db: Db, deviceId: number, packageName: string) {
  const { rows } = await db.execute<{ verCode: number }>(
    sql`select ver_code as "verCode" from device_packages where device_id = ${deviceId} and package_name = ${packageName}`,
  )
  return rows[0]?.verCode ?? null
}

interface Open extends Record<string, unknown> {
  readonly otaId: number
  readonly verCode: number
}

async function openTaskOf(db: Db, deviceId: number, { packageName }: StoredVersion): Promise<Open | undefined> {
  const { rows } = await db.execute<Open>(sql`select ota_id as "otaId", ver_code as "verCode" from ota_tasks
    where device_id = ${deviceId} and package_name = ${packageName} and close_time is null`)
  return rows[0]
}

const openInWords = (open: Open, { otaId }: StoredVersion) =>
  open.otaId === otaId ? '已有该版本的任务在进行' : `正在升级到版本 ${open.verCode}`
