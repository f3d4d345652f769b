import { devices as calls } from '@oms/contract/device/device-info.ts'
import { DeviceImportLine, DEVICE_IMPORT_ROWS } from '@oms/contract/device/device-row.ts'
import { and, eq, sql } from 'drizzle-orm'
import type * as z from 'zod'
import { deviceGroups, deviceModels, devices } from '#schema/device.ts'
import { tenants } from '#schema/tenant.ts'
import { type DeviceQuota, lockDeviceQuota, isQuotaReached } from '#domain/fleet/device-quota.ts'
import { visibleDevices } from '#domain/fleet/device-filter.ts'
import { GroupCapacity } from '#domain/fleet/group-members.ts'
import { TENANT_STANDING_COLUMNS, findStandingProblem } from '#domain/tenants/receiving-tenant.ts'
import { conflict, forbidden, invalid, ApiError } from '#core/http/api-error.ts'
import { defineImport } from '#core/spreadsheet/import/import.ts'
import type { ImportCtx, ReadLine } from '#core/spreadsheet/import/take-lines.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { publishDevicesChanged } from './device-rows.ts'
import { insertDevices, updateDevices } from './device-import-write.ts'

export type ImportLine = z.output<typeof DeviceImportLine>
/** A line with resolved names. */
export interface ResolvedLine {
  readonly input: ImportLine
  readonly tenantId: number
  /** Undefined when an update keeps the model. */
  readonly modelId: number | undefined
  readonly groupIds: readonly number[]
  /** Fields that an update clears. */
  readonly cleared: readonly string[]
}
type Outcome = 'created' | 'updated' | ApiError

interface State {
  readonly update: boolean
  readonly models: ReadonlyMap<string, number>
  /** Ids of visible tenants by tenant number. */
  readonly tenantNos: ReadonlyMap<string, number>
  /** Reasons why a tenant receives no new devices, by tenant. */
  readonly problems: ReadonlyMap<number, string | undefined>
  readonly ownTenant: number | null
  readonly room: Map<number, { quota: DeviceQuota; left: number }>
  /** Static groups by tenant and name, loaded on first use. */
  readonly groups: Map<number, ReadonlyMap<string, number>>
  readonly groupRoom: GroupCapacity
  /** Line of the first occurrence of each serial. */
  readonly seen: Map<string, number>
  readonly touched: Set<number>
}

const LIST = /[\s,，、;；]+/
const parts = (text = '') => text.split(LIST).filter((part) => part !== '')

export const importDevices = defineImport({
  kind: 'device',
  endpoint: calls.import,
  name: '设备',
  schema: DeviceImportLine,
  columns: [
    ['sn', { width: 24 }],
    ['devName', { width: 20 }],
    'modelCode',
    'tenantNo',
    ['mac', { width: 20 }],
    ['imei', { width: 20 }],
    ['verCode', { type: 'number', width: 14 }],
    'hwVer',
    'tags',
    'groups',
    ['warrantyEnd', { width: 14 }],
    ['remark', { width: 30 }],
  ],
  tables: ['devices', 'device_versions', 'device_group_members'],
  required: ['sn'],
  example: {
    sn: 'SN20260001',
    devName: '示例行，导入前请删除',
    modelCode: 'C10',
    tenantNo: '',
    mac: '00:1A:2B:3C:4D:5E',
    imei: '',
    verCode: 1100,
    hwVer: 'V1.2',
    tags: '样机、展厅',
    groups: '',
    warrantyEnd: '2028-12-31',
    remark: '客户编号不填则归属当前客户；标签、分组用顿号分隔',
  },
  maxRows: DEVICE_IMPORT_ROWS,
  prepare,
  cells: (given) => ({ ...given, tags: parts(given['tags']), groups: parts(given['groups']) }),
  takeMany,
  finish: (ctx, { touched }) => Promise.resolve(publishDevicesChanged(ctx, [...touched])),
})

async function prepare(ctx: ImportCtx, { update }: { update: '0' | '1' }): Promise<State> {
  const { db, user } = ctx
  if (update === '1' && !user.can(calls.update.access)) throw forbidden()
  const models = await db
    .select({ id: deviceModels.id, code: deviceModels.modelCode })
    .from(deviceModels)
    .where(and(notDeleted(deviceModels), eq(deviceModels.status, 1)))
  const customers = await db
    .select({ id: tenants.id, no: tenants.tenantNo, ...TENANT_STANDING_COLUMNS })
    .from(tenants)
    .where(and(notDeleted(tenants), scoped(user, { tenant: tenants.id })))
  return {
    update: update === '1',
    models: new Map(models.map(({ id, code }) => [code.toLowerCase(), id])),
    tenantNos: new Map(customers.map(({ id, no }) => [no.toLowerCase(), id])),
    problems: new Map(customers.map((tenant) => [tenant.id, findStandingProblem(tenant)])),
    ownTenant: user.tenantId,
    room: new Map(),
    groups: new Map(),
    groupRoom: new GroupCapacity(),
    seen: new Map(),
    touched: new Set(),
  }
}

interface Existing {
  readonly id: number
  readonly sn: string
  readonly tenantId: number
}
type Numbered = ReadLine<ImportLine>

/** Looks up a batch with two statements and writes the batch with two to five. Refused lines are not written. */
async function takeMany(ctx: ImportCtx, lines: readonly Numbered[], state: State): Promise<Outcome[]> {
  const known = await existing(
    ctx,
    lines.map(({ input }) => input.sn),
  )
  if (state.update) await state.groupRoom.know(ctx.db, regrouped(lines, known))
  const outcomes: Outcome[] = []
  const added: { at: number; line: ResolvedLine }[] = []
  const changed: { at: number; id: number; line: ResolvedLine }[] = []
  for (const [at, line] of lines.entries()) {
    const verdict = await checkedLine(ctx, line, { state, known })
    if (verdict instanceof ApiError) outcomes[at] = verdict
    else if (verdict.found) changed.push({ at, id: verdict.found.id, line: verdict.line })
    else added.push({ at, line: verdict.line })
  }
  const made = await insertDevices(
    ctx,
    added.map(({ line }) => line),
  )
  for (const { at, line } of added) outcomes[at] = made.has(line.input.sn) ? 'created' : conflict('序列号已存在', 'sn')
  await updateDevices(
    ctx,
    changed.map(({ id, line }) => ({ id, line })),
  )
  for (const { at } of changed) outcomes[at] = 'updated'
  return outcomes
}

/** Returns existing devices whose lines name groups. */
const regrouped = (lines: readonly Numbered[], known: ReadonlyMap<string, Existing>) =>
  lines.flatMap(({ input }) => (input.groups.length > 0 ? (known.get(input.sn)?.id ?? []) : []))

/**
 * Locks and returns the visible devices with these serials, by serial. The insert detects serials of invisible devices.
 */
async function existing({ db, user }: ImportCtx, sns: string[]) {
  const rows = await db
    .select({ id: devices.id, sn: devices.sn, tenantId: devices.tenantId })
    .from(devices)
    .where(and(visibleDevices(user), sql`${devices.sn} = any(${sql.param(sns)}::text[])`))
    .for('update')
  return new Map<string, Existing>(rows.map((row) => [row.sn, row]))
}

interface Around {
  readonly state: State
  readonly known: ReadonlyMap<string, Existing>
}

/** Returns what to do with a line, or the reason for refusing the line. */
async function checkedLine(ctx: ImportCtx, { row, input, filled }: Numbered, { state, known }: Around) {
  try {
    const earlier = state.seen.get(input.sn)
    if (earlier !== undefined) throw conflict(`与第${earlier}行的序列号重复`, 'sn')
    state.seen.set(input.sn, row)
    const found = known.get(input.sn)
    if (found && !state.update) throw conflict('序列号已存在', 'sn')
    const line = { ...(await resolved(ctx, input, state, found)), cleared: clearedBy(input, filled) }
    await takePlaces(ctx, line, state, found)
    if (!found) await takeRoom(ctx, line.tenantId, state)
    state.touched.add(line.tenantId)
    return { found, line }
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

const clearedBy = (input: ImportLine, filled: ReadonlySet<string>) =>
  [...filled].filter((key) => {
    const value = input[key as keyof ImportLine]
    return value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
  })

async function resolved(ctx: ImportCtx, input: ImportLine, state: State, found: Existing | undefined) {
  const { modelCode, tenantNo, groups } = input
  if (!modelCode && !found) throw invalid('请输入型号编码', 'modelCode')
  const modelId = modelCode ? state.models.get(modelCode.toLowerCase()) : undefined
  if (modelCode && modelId === undefined) throw invalid(`型号编码「${modelCode}」不存在或已停用`, 'modelCode')
  const named = tenantNo ? state.tenantNos.get(tenantNo.toLowerCase()) : undefined
  if (tenantNo && named === undefined) throw invalid(`客户编号「${tenantNo}」不存在`, 'tenantNo')
  if (found && named !== undefined && named !== found.tenantId)
    throw invalid('设备属于其他客户，请使用“转移客户”', 'tenantNo')
  const tenantId = found?.tenantId ?? named ?? state.ownTenant
  if (tenantId === null) throw invalid('请输入客户编号', 'tenantNo')
  const problem = found ? undefined : state.problems.get(tenantId)
  if (problem) throw invalid(problem, 'tenantNo')
  const ids = groups.length > 0 ? await groupIds(ctx, { tenantId, groups, state }) : []
  return { input, tenantId, modelId, groupIds: ids }
}

async function groupIds(
  { db }: ImportCtx,
  { tenantId, groups, state }: { tenantId: number; groups: readonly string[]; state: State },
) {
  let names = state.groups.get(tenantId)
  if (!names) {
    const rows = await db
      .select({ id: deviceGroups.id, name: deviceGroups.groupName })
      .from(deviceGroups)
      .where(and(eq(deviceGroups.tenantId, tenantId), eq(deviceGroups.kind, 1), notDeleted(deviceGroups)))
    names = new Map(rows.map(({ id, name }) => [name, id]))
    state.groups.set(tenantId, names)
  }
  return groups.map((name) => {
    const id = names.get(name)
    if (id === undefined) throw invalid(`静态分组「${name}」不存在`, 'groups')
    return id
  })
}

async function takePlaces(ctx: ImportCtx, line: ResolvedLine, { groupRoom }: State, found: Existing | undefined) {
  const groups = new Map(line.groupIds.map((id, at) => [id, line.input.groups[at] as string]))
  if (groups.size === 0) return
  const problem = await groupRoom.take(ctx.db, { deviceId: found?.id, tenantId: line.tenantId, groups })
  if (problem) throw problem
}

/** Takes one device from the tenant's quota. Reads the quota once under a lock and then counts in memory. */
async function takeRoom({ db }: ImportCtx, tenantId: number, { room }: State) {
  let mine = room.get(tenantId)
  if (!mine) {
    const quota = await lockDeviceQuota(db, tenantId)
    mine = { quota, left: quota.left }
    room.set(tenantId, mine)
  }
  if (mine.left <= 0) {
    const { message } = isQuotaReached(mine.quota)
    throw conflict(message, 'tenantNo')
  }
  mine.left -= 1
}
