import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { otaRelease } from '@oms/contract/upgrade/upgrade-release.ts'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { invalid, notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { tenants } from '#core/schema/tenant.ts'
import { PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { findDevice } from '#modules/device/device-filter.ts'
import type { RuleDraft } from '#modules/device/fleet/fleet.ts'
import { type RuleCode, listVerdicts } from '#modules/device/fleet/match.ts'
import type { InstalledPackage, OpenTask } from '#modules/device/fleet/state.ts'
import { deviceGroups, deviceModels, devices } from '#modules/device/schema.ts'
import {
  RELEASE_MODE,
  readPolicy,
  RELEASE_STATE_CODE,
  listStages,
  type StoredVersion,
  requireVersion,
} from './release.ts'
import { findFirstPercent, buildStages, computeReachedPercent } from './stages.ts'

type Input = ParsedOf<typeof otaRelease.dryRun>
type Policy = NonNullable<Input['policy']>

const MOST_SHOWN = 50
const SPENT = { rule: 'spent', title: '之前升级失败或任务被取消，须先重试' } as const
const OUTRANKED = { rule: 'outranked', title: '会优先收到更高的版本' } as const
const BUSY = { rule: 'busy', title: '已有升级任务在进行' } as const

/** Texts that say why devices do not get a version, by rule. */
const OBSTACLES: Readonly<Record<RuleCode, string>> = {
  device: '设备已停用',
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

/**
 * Counts the devices that get the version now, by the current release or by a draft. Uses the matching code of
 * device polls.
 */
export async function runDryRun({ db, user, services, now }: Ctx, { otaId, policy }: Input) {
  const version = await requireVersion(db, user, otaId)
  await services.fleet.sync()
  const draft = policy ? await draftOf(db, version, policy) : {}
  const rule = await services.fleet.ruleOf(otaId, draft)
  if (!rule) throw notFound('版本')
  const found = await services.fleet.dryRun(rule, now, { tenants: scopeOf(user, version), sample: 20 })
  const always = { ...rule, ...ALWAYS }
  const anyTime = isTimed(rule)
    ? await services.fleet.dryRun(always, now, { tenants: scopeOf(user, version), sample: 0 })
    : found
  const names = await namesOf(db, [...found.tenants.keys(), ...found.sample.map(({ tenantId }) => tenantId)])
  const stages = policy?.stages ?? (await listStages(db, otaId))
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
    groups: await groupsOf(db, user, found.groups),
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

/** Evaluates each rule for one device and says whether the device gets the version. */
export async function explainForDevice(
  { db, user, services, now }: Ctx,
  { otaId, sn }: ParsedOf<typeof otaRelease.why>,
) {
  const version = await requireVersion(db, user, otaId)
  const seen = await findDevice({ db, user }, eq(devices.sn, sn))
  if (!seen) throw invalid('没有这台设备，请核对序列号', 'sn')
  await services.fleet.sync()
  const [rule, known] = [await services.fleet.ruleOf(otaId), await services.fleet.factsOf(seen.id)]
  if (!rule || !known) throw invalid('没有这台设备，请核对序列号', 'sn')
  const installed = rule.packageName ? await packagesOf(db, seen.id) : []
  const own = installed.find(({ name }) => name === rule.packageName)
  const device = rule.packageName ? { ...known, verCode: own?.verCode ?? null } : known
  const moment = services.fleet.moment(now)
  const rules: { rule: string; title: string; passed: boolean; words: string }[] = listVerdicts(rule, device, moment)
  if (rule.packageName) rules.push(verdict('package', '设备装有该软件包', own !== undefined, '设备没有上报该软件包'))
  const { isSpent, open, outrankedBy } = services.fleet.precedence(rule, known.slot, installed, moment)
  rules.push(verdict('spent', '没有失败或取消过的任务', !isSpent, SPENT.title, '没有未处理的失败任务'))
  rules.push(verdict('busy', '没有进行中的任务', !open, open ? openInWords(open, version) : ''))
  const isFirst = !outrankedBy
  const first = outrankedBy ? `会优先收到「${outrankedBy.verName}」(${outrankedBy.verCode})` : ''
  const passesAll = rules.every((each) => each.passed)
  rules.push(verdict('outranked', '没有更优先的版本', isFirst, first))
  const passed = passesAll && isFirst
  return { sn, passed, words: wordsOf(passed, passesAll, open?.otaId === otaId, outrankedBy), rules }
}

const verdict = (rule: string, title: string, passed: boolean, refusal: string, words = title) => ({
  rule,
  title,
  passed,
  words: passed ? words : refusal,
})

function wordsOf(
  passed: boolean,
  passesAll: boolean,
  hasTask: boolean,
  outrankedBy: { readonly verName: string; readonly verCode: number } | undefined,
) {
  if (hasTask) return '设备已领到该版本的任务'
  if (passed) return '设备下次检查时会收到该版本'
  if (passesAll && outrankedBy)
    return `设备满足条件，但会优先收到更高的版本「${outrankedBy.verName}」(${outrankedBy.verCode})`
  return '设备不会收到该版本'
}

/** Returns the draft as publishing would store the draft. With stages, the percentage is that of the next stage. */
async function draftOf(db: Db, version: StoredVersion, policy: Policy): Promise<RuleDraft> {
  const stored = await readPolicy(db, version.otaId)
  const before = await listStages(db, version.otaId)
  const reached = stored ? computeReachedPercent({ policy: stored, stages: before }) : 0
  const stages = policy.mode === RELEASE_MODE.formal ? buildStages(version.otaId, policy.stages, before, reached) : []
  const { mode, tenantIds, groupIds } = policy
  const times = await momentsOf(db, policy)
  return {
    mode,
    tenantIds,
    groupIds,
    state: RELEASE_STATE_CODE.running,
    percent: findFirstPercent(stages, policy.percent),
    ...times,
    dailyStart: policy.dailyStart ?? null,
    dailyEnd: policy.dailyEnd ?? null,
  }
}

/** Converts local date-time texts to instants. The connection's time zone is that of the console. */
async function momentsOf(db: Db, { startTime, endTime }: Policy) {
  const { rows } = await db.execute<{ startAt: number | null; endAt: number | null }>(sql`
    select extract(epoch from ${startTime ?? null}::timestamptz)::float8 * 1000 as "startAt",
      extract(epoch from ${endTime ?? null}::timestamptz)::float8 * 1000 as "endAt"`)
  return { startAt: rows[0]?.startAt ?? null, endAt: rows[0]?.endAt ?? null }
}

/** Returns the tenants whose devices are counted: those of the version within the account's data scope. */
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

async function groupsOf(db: Db, user: User, counts: ReadonlyMap<number, number>) {
  if (counts.size === 0) return []
  const rows = await db
    .select({ id: deviceGroups.id, name: deviceGroups.groupName })
    .from(deviceGroups)
    .where(and(inArray(deviceGroups.id, [...counts.keys()]), scoped(user, { tenant: deviceGroups.tenantId })))
  return rows.map(({ id, name }) => ({ id, name, count: counts.get(id) ?? 0 })).sort((a, b) => b.count - a.count)
}

async function modelNameOf(db: Db, modelId: number) {
  const [model] = await db
    .select({ name: deviceModels.modelName })
    .from(deviceModels)
    .where(eq(deviceModels.id, modelId))
  return model?.name ?? ''
}

async function packagesOf(db: Db, deviceId: number): Promise<InstalledPackage[]> {
  const { rows } = await db.execute<{ name: string; verCode: number }>(
    sql`select package_name as name, ver_code as "verCode" from device_packages where device_id = ${deviceId}`,
  )
  return rows
}

const openInWords = (open: OpenTask, { otaId, packageName }: StoredVersion) =>
  open.otaId === otaId
    ? '已有该版本的任务在进行'
    : open.packageName === packageName
      ? `正在升级到版本 ${open.verCode}`
      : `${open.packageName ? `软件包 ${open.packageName}` : '固件'}正在升级到版本 ${open.verCode}`
