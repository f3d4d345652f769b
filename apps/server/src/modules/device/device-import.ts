import { devices as calls } from '@oms/contract/device-info.ts'
import { DeviceImportLine, DEVICE_IMPORT_ROWS } from '@oms/contract/device-row.ts'
import { and, eq, sql } from 'drizzle-orm'
import type * as z from 'zod'
import { deviceGroups, deviceModels, devices } from '#db/schema/device.ts'
import { tenants } from '#db/schema/tenant.ts'
import { type DeviceRoom, lockDeviceRoom, quotaReached } from '#kernel/fleet/device-room.ts'
import { visibleDevices } from '#kernel/fleet/device-filter.ts'
import { GroupRoom } from '#kernel/fleet/group-members.ts'
import { conflict, forbidden, invalid, Problem } from '#kernel/problem.ts'
import { defineImport } from '#kernel/table/import.ts'
import type { ImportCtx } from '#kernel/table/take-lines.ts'
import { alive, scoped } from '#kernel/tenancy.ts'
import { tellChanged } from './device-rows.ts'
import { insertDevices, updateDevices } from './device-import-write.ts'

export type ImportLine = z.output<typeof DeviceImportLine>
/** A line with its names looked up. */
export interface Resolved {
  readonly input: ImportLine
  readonly tenantId: number
  /** Undefined in an update that leaves the model as it is. */
  readonly modelId: number | undefined
  readonly groupIds: readonly number[]
}
type Outcome = 'created' | 'updated' | Problem

interface State {
  readonly update: boolean
  readonly models: ReadonlyMap<string, number>
  /** Customers by number, as far as the account reaches. */
  readonly tenantNos: ReadonlyMap<string, number>
  readonly ownTenant: number | null
  readonly room: Map<number, { quota: DeviceRoom; left: number }>
  /** Static groups by customer and name; read when first needed. */
  readonly groups: Map<number, ReadonlyMap<string, number>>
  readonly groupRoom: GroupRoom
  /** In which line each serial came first. */
  readonly seen: Map<string, number>
  readonly touched: Set<number>
}

const LIST = /[\s,，、;；]+/
const parts = (text = '') => text.split(LIST).filter((part) => part !== '')

export const deviceImport = defineImport({
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
  finish: (ctx, { touched }) => Promise.resolve(tellChanged(ctx, [...touched])),
})

async function prepare(ctx: ImportCtx, { update }: { update: '0' | '1' }): Promise<State> {
  const { db, user } = ctx
  if (update === '1' && !user.can(calls.update.access)) throw forbidden()
  const models = await db
    .select({ id: deviceModels.id, code: deviceModels.modelCode })
    .from(deviceModels)
    .where(and(alive(deviceModels), eq(deviceModels.status, 1)))
  const customers = await db
    .select({ id: tenants.id, no: tenants.tenantNo })
    .from(tenants)
    .where(and(alive(tenants), scoped(user, { tenant: tenants.id })))
  return {
    update: update === '1',
    models: new Map(models.map(({ id, code }) => [code.toLowerCase(), id])),
    tenantNos: new Map(customers.map(({ id, no }) => [no.toLowerCase(), id])),
    ownTenant: user.tenantId,
    room: new Map(),
    groups: new Map(),
    groupRoom: new GroupRoom(),
    seen: new Map(),
    touched: new Set(),
  }
}

interface Existing {
  readonly id: number
  readonly sn: string
  readonly tenantId: number
}
type Numbered = { readonly row: number; readonly input: ImportLine }

/** Two statements a batch look up what is there; two to five write it. A refused line is part of none. */
async function takeMany(ctx: ImportCtx, lines: readonly Numbered[], state: State): Promise<Outcome[]> {
  const known = await existing(
    ctx,
    lines.map(({ input }) => input.sn),
  )
  if (state.update) await state.groupRoom.know(ctx.db, regrouped(lines, known))
  const outcomes: Outcome[] = []
  const added: { at: number; line: Resolved }[] = []
  const changed: { at: number; id: number; line: Resolved }[] = []
  for (const [at, line] of lines.entries()) {
    const verdict = await judged(ctx, line, { state, known })
    if (verdict instanceof Problem) outcomes[at] = verdict
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

/** Devices there are that lines name groups for. */
const regrouped = (lines: readonly Numbered[], known: ReadonlyMap<string, Existing>) =>
  lines.flatMap(({ input }) => (input.groups.length > 0 ? (known.get(input.sn)?.id ?? []) : []))

/** Devices of these serials: those within reach with their ids, all others as taken. */
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

/** What is to be done with a line, or why nothing. */
async function judged(ctx: ImportCtx, { row, input }: Numbered, { state, known }: Around) {
  try {
    const earlier = state.seen.get(input.sn)
    if (earlier !== undefined) throw conflict(`与第${earlier}行的序列号重复`, 'sn')
    state.seen.set(input.sn, row)
    const found = known.get(input.sn)
    if (found && !state.update) throw conflict('序列号已存在', 'sn')
    const line = await resolved(ctx, input, state, found)
    await takePlaces(ctx, line, state, found)
    if (!found) await takeRoom(ctx, line.tenantId, state)
    state.touched.add(line.tenantId)
    return { found, line }
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

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
      .where(and(eq(deviceGroups.tenantId, tenantId), eq(deviceGroups.kind, 1), alive(deviceGroups)))
    names = new Map(rows.map(({ id, name }) => [name, id]))
    state.groups.set(tenantId, names)
  }
  return groups.map((name) => {
    const id = names.get(name)
    if (id === undefined) throw invalid(`静态分组「${name}」不存在`, 'groups')
    return id
  })
}

async function takePlaces(ctx: ImportCtx, line: Resolved, { groupRoom }: State, found: Existing | undefined) {
  const groups = new Map(line.groupIds.map((id, at) => [id, line.input.groups[at] as string]))
  if (groups.size === 0) return
  const problem = await groupRoom.take(ctx.db, { deviceId: found?.id, tenantId: line.tenantId, groups })
  if (problem) throw problem
}

/** The customer's quota is counted once, under its lock, and then kept account of here. */
async function takeRoom({ db }: ImportCtx, tenantId: number, { room }: State) {
  let mine = room.get(tenantId)
  if (!mine) {
    const quota = await lockDeviceRoom(db, tenantId)
    mine = { quota, left: quota.left }
    room.set(tenantId, mine)
  }
  if (mine.left <= 0) {
    const { message } = quotaReached(mine.quota)
    throw conflict(message, 'tenantNo')
  }
  mine.left -= 1
}
