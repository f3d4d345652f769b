import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { devices as calls } from '@oms/contract/device/device-info.ts'
import { DeviceImportLine, DeviceRow } from '@oms/contract/device/device-row.ts'
import { and, eq, sql } from 'drizzle-orm'
import type * as z from 'zod'
import { type ApiError, conflict, forbidden, invalid } from '#core/http/api-error.ts'
import { tenants } from '#core/schema/tenant.ts'
import { defineImport } from '#core/spreadsheet/import/import.ts'
import { EXAMPLE_MARK, type ImportCtx, type LineOutcome, type ReadLine } from '#core/spreadsheet/import/lines.ts'
import { notDeleted, scoped, withoutRowSecurity } from '#core/tenancy/tenancy.ts'
import { findStandingProblem, TENANT_STANDING_COLUMNS } from '#core/tenancy/tenant-state.ts'
import { visibleDevices } from './device-filter.ts'
import { DeviceQuotaCounter } from './device-quota.ts'
import { notifyDeviceLists, SERIAL_TAKEN } from './device.ts'
import { GroupCapacity } from './group-members.ts'
import { deviceGroups, deviceModels, devices } from './schema.ts'

type ImportLine = z.output<typeof DeviceImportLine>
/** A line with resolved names. */
interface ResolvedLine {
  readonly input: ImportLine
  readonly tenantId: number
  /** Undefined when an update keeps the model. */
  readonly modelId: number | undefined
  readonly groupIds: readonly number[]
  /** Fields that an update clears. */
  readonly cleared: readonly string[]
}

interface State {
  readonly update: boolean
  /** A dry run neither locks nor writes rows. */
  readonly isDryRun: boolean
  readonly models: ReadonlyMap<string, number>
  /** Ids of visible tenants by tenant number. */
  readonly tenantNos: ReadonlyMap<string, number>
  /** Reasons why a tenant receives no new devices, by tenant. */
  readonly problems: ReadonlyMap<number, string | undefined>
  readonly ownTenant: number | null
  /** Remaining devices of the tenants that receive new devices. */
  readonly room: DeviceQuotaCounter
  /** Static groups by tenant and name, loaded on first use. */
  readonly groups: Map<number, ReadonlyMap<string, number>>
  readonly groupRoom: GroupCapacity
  /** Line of the first occurrence of each serial in lower case. */
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
  exportedRow: DeviceRow,
  example: {
    sn: 'SN20260001',
    devName: EXAMPLE_MARK,
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
  prepare,
  findProblems: (_ctx, fields, state) => findUnknownCodes(fields, state),
  cells: (given) => ({ ...given, tags: parts(given['tags']), groups: parts(given['groups']) }),
  takeMany,
  finish,
})

async function prepare(ctx: ImportCtx, { update, dryRun }: ParsedOf<typeof calls.import>): Promise<State> {
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
  const isDryRun = Number(dryRun) === 1
  return {
    update: update === '1',
    isDryRun,
    models: new Map(models.map(({ id, code }) => [code.toLowerCase(), id])),
    tenantNos: new Map(customers.map(({ id, no }) => [no.toLowerCase(), id])),
    problems: new Map(customers.map((tenant) => [tenant.id, findStandingProblem(tenant)])),
    ownTenant: user.tenantId,
    room: new DeviceQuotaCounter(),
    groups: new Map(),
    groupRoom: new GroupCapacity({ locks: !isDryRun }),
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

/**
 * Looks up a batch with two statements and writes the batch with two to five. Refused lines and dry runs write nothing.
 */
async function takeMany(ctx: ImportCtx, lines: readonly Numbered[], state: State): Promise<LineOutcome[]> {
  const known = await existing(
    ctx,
    lines.map(({ input }) => input.sn),
    state,
  )
  if (state.update) await state.groupRoom.know(ctx.db, listRegroupedDevices(lines, known))
  const outcomes: LineOutcome[] = []
  const added: { at: number; line: ResolvedLine }[] = []
  const changed: { at: number; id: number; line: ResolvedLine }[] = []
  for (const [at, line] of lines.entries()) {
    const verdict = await checkedLine(ctx, line, { state, known })
    if ('problems' in verdict) outcomes[at] = verdict.problems
    else if (verdict.found) changed.push({ at, id: verdict.found.id, line: verdict.line })
    else added.push({ at, line: verdict.line })
  }
  const created = added.map(({ line }) => line)
  const made = await (state.isDryRun ? findFreeSerials(ctx, created) : insertDevices(ctx, created))
  for (const { at, line } of added) outcomes[at] = made.has(line.input.sn) ? 'created' : conflict(SERIAL_TAKEN, 'sn')
  if (!state.isDryRun)
    await updateDevices(
      ctx,
      changed.map(({ id, line }) => ({ id, line })),
    )
  for (const { at } of changed) outcomes[at] = 'updated'
  return outcomes
}

/** Returns existing devices whose lines name groups. */
const listRegroupedDevices = (lines: readonly Numbered[], known: ReadonlyMap<string, Existing>) =>
  lines.flatMap(({ input }) => (input.groups.length > 0 ? (known.get(input.sn)?.id ?? []) : []))

/**
 * Returns the visible devices with these serials by serial, locked except in a dry run. The insert detects serials of
 * invisible devices.
 */
async function existing({ db, user }: ImportCtx, sns: string[], { isDryRun }: State) {
  const rows = db
    .select({ id: devices.id, sn: devices.sn, tenantId: devices.tenantId })
    .from(devices)
    .where(and(visibleDevices(user), sql`${devices.sn} = any(${sql.param(sns)}::text[])`))
  const found = await (isDryRun ? rows : rows.for('update'))
  return new Map<string, Existing>(found.map((row) => [row.sn, row]))
}

interface Around {
  readonly state: State
  readonly known: ReadonlyMap<string, Existing>
}

interface Refused {
  readonly problems: readonly ApiError[]
}

/** Returns what to do with a line, or the reasons for refusing the line. */
async function checkedLine(
  ctx: ImportCtx,
  { row, input, filled }: Numbered,
  { state, known }: Around,
): Promise<Refused | { readonly found: Existing | undefined; readonly line: ResolvedLine }> {
  const refusal = (problem: ApiError) => ({ problems: [problem] })
  const earlier = state.seen.get(input.sn.toLowerCase())
  if (earlier !== undefined) return refusal(conflict(`与第${earlier}行的序列号重复`, 'sn'))
  state.seen.set(input.sn.toLowerCase(), row)
  const found = known.get(input.sn)
  if (found && !state.update) return refusal(conflict('序列号已存在', 'sn'))
  const resolved = await resolveReferences(ctx, input, state, found)
  if ('problems' in resolved) return resolved
  const line = { ...resolved, cleared: clearedBy(input, filled) }
  const full =
    (await takePlaces(ctx, line, state, found)) ??
    (found ? undefined : await reserveDevice(ctx, line.tenantId, state.room))
  if (full) return refusal(full)
  state.touched.add(line.tenantId)
  return { found, line }
}

const clearedBy = (input: ImportLine, filled: ReadonlySet<string>) =>
  [...filled].filter((key) => {
    const value = input[key as keyof ImportLine]
    return value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
  })

/** Returns the problems of codes that name no model or no tenant. */
function findUnknownCodes({ modelCode, tenantNo }: Partial<ImportLine>, { models, tenantNos }: State) {
  const problems: ApiError[] = []
  if (modelCode && !models.has(modelCode.toLowerCase()))
    problems.push(invalid(`型号编码「${modelCode}」不存在或已停用`, 'modelCode'))
  if (tenantNo && !tenantNos.has(tenantNo.toLowerCase()))
    problems.push(invalid(`客户编号「${tenantNo}」不存在`, 'tenantNo'))
  return problems
}

/** Returns the tenant of the device of a line, or the reason why the line is refused. */
function findOwner(tenantNo: string, { tenantNos, problems, ownTenant }: State, found: Existing | undefined) {
  const named = tenantNo ? tenantNos.get(tenantNo.toLowerCase()) : undefined
  if (found)
    return named === undefined || named === found.tenantId ? found.tenantId : '设备属于其他客户，请使用“转移客户”'
  const tenantId = named ?? ownTenant
  return tenantId === null ? '请输入客户编号' : (problems.get(tenantId) ?? tenantId)
}

/** Resolves the codes and names of a line, or returns the problems of its fields. */
async function resolveReferences(
  ctx: ImportCtx,
  input: ImportLine,
  state: State,
  found: Existing | undefined,
): Promise<Refused | Omit<ResolvedLine, 'cleared'>> {
  const { modelCode, tenantNo, groups } = input
  const modelId = modelCode ? state.models.get(modelCode.toLowerCase()) : undefined
  const problems = modelCode || found ? [] : [invalid('请输入型号编码', 'modelCode')]
  const owner = findOwner(tenantNo, state, found)
  if (typeof owner === 'string') return { problems: [...problems, invalid(owner, 'tenantNo')] }
  const names = groups.length > 0 ? await loadGroups(ctx, owner, state) : new Map<string, number>()
  const unknown = groups.filter((name) => !names.has(name))
  if (unknown.length > 0) problems.push(invalid(`静态分组「${unknown.join('、')}」不存在`, 'groups'))
  if (problems.length > 0) return { problems }
  return { input, tenantId: owner, modelId, groupIds: groups.flatMap((name) => names.get(name) ?? []) }
}

/** Returns the static groups of a tenant by name, loaded on first use. */
async function loadGroups({ db }: ImportCtx, tenantId: number, { groups }: State) {
  const loaded = groups.get(tenantId)
  if (loaded) return loaded
  const rows = await db
    .select({ id: deviceGroups.id, name: deviceGroups.groupName })
    .from(deviceGroups)
    .where(and(eq(deviceGroups.tenantId, tenantId), eq(deviceGroups.kind, 1), notDeleted(deviceGroups)))
  const names = new Map(rows.map(({ id, name }) => [name, id]))
  groups.set(tenantId, names)
  return names
}

/** Takes the places of the device in its groups, or returns the problem. */
async function takePlaces(ctx: ImportCtx, line: ResolvedLine, { groupRoom }: State, found: Existing | undefined) {
  const groups = new Map(line.groupIds.map((id, at) => [id, line.input.groups[at] as string]))
  if (groups.size === 0) return undefined
  return groupRoom.take(ctx.db, { deviceId: found?.id, tenantId: line.tenantId, groups })
}

/** Takes one device from the quota of the tenant, or returns the problem. */
async function reserveDevice({ db }: ImportCtx, tenantId: number, room: DeviceQuotaCounter) {
  const problem = await room.findProblem(db, tenantId)
  if (problem) return conflict(problem.message, 'tenantNo')
  room.add(tenantId)
  return undefined
}

async function finish(ctx: ImportCtx, { room, touched, isDryRun }: State) {
  if (isDryRun) return
  await room.assertKept(ctx.db)
  await notifyDeviceLists(ctx, [...touched])
}

/** Passes all lines as one JSON parameter: building 2,000 × 14 parameters takes longer than running the statement. */
const wireOf = ({ input, tenantId, modelId, cleared }: ResolvedLine, id?: number) => ({
  id,
  sn: input.sn,
  tenant: tenantId,
  model: modelId,
  name: input.devName,
  mac: input.mac ?? '',
  imei: input.imei ?? '',
  ver: input.verCode ?? null,
  hw: input.hwVer,
  tags: [...new Set(input.tags)],
  warranty: input.warrantyEnd ?? null,
  remark: input.remark,
  cleared,
})

const COLUMNS = sql.raw(`x(id int, sn text, tenant int, model int, name text, mac text, imei text, ver int, hw text,
  tags jsonb, warranty date, remark text, cleared jsonb)`)
const TAGS = sql.raw('array(select jsonb_array_elements_text(x.tags))')

/** Inserts devices and returns their ids by serial. Omits serials that another transaction inserts meanwhile. */
async function insertDevices(ctx: ImportCtx, lines: readonly ResolvedLine[]): Promise<ReadonlyMap<string, number>> {
  if (lines.length === 0) return new Map()
  const { db, user } = ctx
  const { rows } = await db.execute<{ id: number; sn: string }>(sql`
    insert into devices (sn, tenant_id, model_id, dev_name, mac, imei, ver_code, hw_ver, tags, warranty_end, remark, create_by, update_by)
    select x.sn, x.tenant, x.model, x.name, x.mac, x.imei, x.ver, x.hw, ${TAGS}, x.warranty, x.remark, ${user.uid}, ${user.uid}
    from jsonb_to_recordset(${JSON.stringify(lines.map((line) => wireOf(line)))}::jsonb) as ${COLUMNS}
    on conflict do nothing returning id, sn`)
  const made = new Map(rows.map(({ id, sn }) => [sn, id]))
  const there = lines.flatMap((line) => {
    const id = made.get(line.input.sn)
    return id === undefined ? [] : [{ id, line }]
  })
  await noteVersions(ctx, there)
  await joinGroups(ctx, there)
  return made
}

/** Returns the serials that no device has, for a dry run. Counts devices that the account cannot see, as the insert does. */
async function findFreeSerials(ctx: ImportCtx, lines: readonly ResolvedLine[]): Promise<ReadonlySet<string>> {
  const sns = lines.map(({ input }) => input.sn)
  if (sns.length === 0) return new Set()
  const { rows } = await withoutRowSecurity(ctx, (db) =>
    db.execute<{ sn: string }>(
      sql`select lower(sn) as sn from devices where lower(sn) = any(${sql.param(sns.map((sn) => sn.toLowerCase()))}::text[])
        and deleted_at is null`,
    ),
  )
  const taken = new Set(rows.map(({ sn }) => sn))
  return new Set(sns.filter((sn) => !taken.has(sn.toLowerCase())))
}

interface Written {
  readonly id: number
  readonly line: ResolvedLine
}

/** Returns the new value of a text column. An empty cell keeps the old value unless the line clears the column. */
const textOf = (field: string, wire: string, column: string) =>
  sql.raw(`case when x.cleared ? '${field}' then '' else coalesce(nullif(x.${wire}, ''), d.${column}) end`)

/** Updates devices. An empty cell keeps the old value. */
async function updateDevices(ctx: ImportCtx, list: readonly Written[]) {
  if (list.length === 0) return
  const { db, user, now } = ctx
  const wire = sql`jsonb_to_recordset(${JSON.stringify(list.map(({ id, line }) => wireOf(line, id)))}::jsonb) as ${COLUMNS}`
  const { rows } = await db.execute<{ id: number }>(
    sql`select d.id from devices d join ${wire} on x.id = d.id where x.ver is distinct from d.ver_code and x.ver is not null`,
  )
  await db.execute(sql`update devices d set
      dev_name = ${textOf('devName', 'name', 'dev_name')}, model_id = coalesce(x.model, d.model_id),
      mac = ${textOf('mac', 'mac', 'mac')}, imei = ${textOf('imei', 'imei', 'imei')},
      ver_code = coalesce(x.ver, d.ver_code), hw_ver = ${textOf('hwVer', 'hw', 'hw_ver')},
      tags = case when jsonb_array_length(x.tags) = 0 and not x.cleared ? 'tags' then d.tags else ${TAGS} end,
      warranty_end = case when x.cleared ? 'warrantyEnd' then null else coalesce(x.warranty, d.warranty_end) end,
      remark = ${textOf('remark', 'remark', 'remark')},
      rev = d.rev + 1, update_by = ${user.uid}, update_time = ${now.toISOString()}
    from ${wire} where d.id = x.id`)
  const moved = new Set(rows.map(({ id }) => id))
  await noteVersions(
    ctx,
    list.filter(({ id }) => moved.has(id)),
  )
  await joinGroups(ctx, list)
}

async function noteVersions({ db }: ImportCtx, list: readonly Written[]) {
  const reported = list.flatMap(({ id, line }) =>
    line.input.verCode === undefined ? [] : [{ id, ver: line.input.verCode }],
  )
  if (reported.length > 0)
    await db.execute(sql`insert into device_versions (device_id, ver_code, source)
      select x.id, x.ver, 3 from jsonb_to_recordset(${JSON.stringify(reported)}::jsonb) as x(id int, ver int)`)
}

async function joinGroups({ db }: ImportCtx, list: readonly Written[]) {
  const members = list.flatMap(({ id, line }) => line.groupIds.map((group) => ({ id, group })))
  if (members.length > 0)
    await db.execute(sql`insert into device_group_members (group_id, device_id)
      select x."group", x.id from jsonb_to_recordset(${JSON.stringify(members)}::jsonb) as x(id int, "group" int)
      on conflict do nothing`)
}
