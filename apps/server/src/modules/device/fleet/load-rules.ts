import { and, asc, eq, gt } from 'drizzle-orm'
import type pg from 'pg'
import type { Db } from '#core/database/client.ts'
import { copyRows } from '#core/database/statements/rows.ts'
import { notDeleted, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { matchesRule } from '../device-filter.ts'
import { devices, type GroupRule } from '../schema.ts'
import type { Rule } from './match.ts'
import { SlotSet, SLOT_FLAG } from './slots.ts'
import { type EnabledRule, type FleetState, type DeviceGroupState, FAILURES_THAT_STOP_RETRIES } from './state.ts'

/** Converts local times to instants in the database. The connection's time zone is that of the console. */
const RULE_SQL = `select v.ota_id as "otaId", v.tenant_id as "tenantId", v.model_id as "modelId", v.kind,
    v.package_name as "packageName", v.ver_code as "verCode", v.ver_name as "verName", v.old_ver_min as "oldVerMin",
    v.old_ver_max as "oldVerMax", v.status = 1 and v.deleted_at is null as enabled,
    extract(epoch from v.release_date at time zone current_setting('TimeZone'))::float8 * 1000 as "releaseAt",
    extract(epoch from p.start_time)::float8 * 1000 as "startAt", extract(epoch from p.end_time)::float8 * 1000 as "endAt",
    p.daily_start as "dailyStart", p.daily_end as "dailyEnd", coalesce(p.mode, 1) as mode, coalesce(p.state, 0) as state,
    coalesce(p.state_reason, '') as "stateReason", coalesce(p.percent, 10000) as percent,
    coalesce(p.tenant_ids, '{}') as "tenantIds", coalesce(p.group_ids, '{}') as "groupIds",
    coalesce(p.need_confirm, false) as "needConfirm", p.max_downloads as "maxDownloads", p.per_minute as "perMinute",
    p.bandwidth, coalesce(p.timeout_minutes, 1440) as "timeoutMinutes", coalesce(p.auto_retries, 0)::int as "autoRetries"
  from ota_versions v left join ota_policies p on p.ota_id = v.ota_id`
const LIVE_RULES = `${RULE_SQL} where v.status = 1 and v.deleted_at is null`
/** Prepared statement, because each change of a release runs this query while devices wait. */
const FEW_RULES = { name: 'fleet-rules', text: `${LIVE_RULES} and v.ota_id = any($1)` }
type RuleRow = Omit<Rule, 'allowlist' | 'groups'>
type QueryClient = Pick<pg.Client, 'query'>
type DeviceState = Pick<FleetState, 'slots'>

/**
 * Loads all enabled versions, or the given versions. Keeps the allowlists of known versions and loads those of new
 * versions.
 */
export async function loadRules(client: pg.Client, db: Db, state: FleetState, few?: ReadonlySet<number>) {
  const { rows } = await client.query<RuleRow>(few ? { ...FEW_RULES, values: [[...few]] } : LIVE_RULES)
  const rules: EnabledRule[] = []
  for (const row of rows) {
    for (const id of row.groupIds) if (!state.groups.has(id)) await loadGroup(client, db, state, id)
    rules.push(keepRuleState(state, row) ?? (await freshRule(client, state, row)))
  }
  if (few) state.replaceRules(few, rules)
  else state.setRules(rules)
  forgetGroups(state)
}

/** Removes groups that no rule references. */
function forgetGroups({ groups, rules }: FleetState) {
  if (groups.size === 0) return
  const used = new Set([...rules.values()].flatMap(({ groupIds }) => groupIds))
  for (const id of groups.keys()) if (!used.has(id)) groups.delete(id)
}

/** Loads any version as a rule outside the fleet index, enabled or not. Undefined when the version does not exist. */
export async function readRule(client: pg.Client, db: Db, state: FleetState, otaId: number) {
  const { rows } = await client.query<RuleRow>(`${RULE_SQL} where v.ota_id = $1 and v.deleted_at is null`, [otaId])
  const [row] = rows
  if (!row) return undefined
  for (const id of row.groupIds) if (!state.groups.has(id)) await loadGroup(client, db, state, id)
  return keepRuleState(state, row) ?? freshRule(client, state, row)
}

function keepRuleState(state: FleetState, row: RuleRow): EnabledRule | undefined {
  const known = state.rules.get(row.otaId)
  if (!known) return undefined
  const { allowlistSlots, tried, recent, fetching } = known
  return { ...row, ...createMembers(state, allowlistSlots, row.groupIds), allowlistSlots, tried, recent, fetching }
}

async function freshRule(client: pg.Client, state: FleetState, row: RuleRow): Promise<EnabledRule> {
  const allowlistSlots = await readAllowlist(client, state, row.otaId)
  const tried = new Map<number, number>()
  await copyRows(
    client,
    `select device_id, count(*) filter (where state = 110), bool_or(state = 120)::int from ota_tasks
     where ota_id = ${Number(row.otaId)} and state in (110, 120) and not retried group by device_id`,
    ([deviceId, failures, never]) => {
      const slot = state.slots.slotOf(Number(deviceId))
      if (slot >= 0) tried.set(slot, never === '1' ? FAILURES_THAT_STOP_RETRIES : Number(failures))
    },
  )
  return {
    ...row,
    ...createMembers(state, allowlistSlots, row.groupIds),
    allowlistSlots,
    tried,
    recent: [],
    fetching: new Map(),
  }
}

/** Returns the members interface of a rule. Each lookup uses the current sets. */
export function createMembers(state: FleetState, allowlistSlots: SlotSet, groupIds: readonly number[]) {
  return {
    allowlist: { has: ({ slot }: { slot?: number }) => slot !== undefined && allowlistSlots.has(slot) },
    groups: {
      has: ({ slot }: { slot?: number }) =>
        slot !== undefined && groupIds.some((id) => state.groups.get(id)?.members.has(slot) === true),
    },
  }
}

async function readMembers(client: pg.Client, { slots }: DeviceState, query: string, flag = 0): Promise<SlotSet> {
  const members = new SlotSet()
  await copyRows(client, query, ([deviceId]) => {
    const slot = slots.slotOf(Number(deviceId))
    if (slot < 0) return
    members.add(slot)
    slots.flags[slot]! |= flag
  })
  return members
}

const readAllowlist = (client: pg.Client, state: FleetState, otaId: number) =>
  readMembers(client, state, `select device_id from ota_whites where ota_id = ${Number(otaId)}`, SLOT_FLAG.listed)

interface GroupRow {
  readonly tenantId: number
  readonly kind: number
  readonly rule: GroupRule | null
}

/** Loads the members of a group into the fleet index. */
export async function loadGroup(client: pg.Client, db: Db, state: FleetState, id: number) {
  state.groups.set(id, await readGroup(client, db, state, id))
}

/** Returns the members of a group. A deleted or disabled group has none. */
export async function readGroup(client: pg.Client, db: Db, state: DeviceState, id: number): Promise<DeviceGroupState> {
  const { rows } = await client.query<GroupRow>(
    `select tenant_id as "tenantId", kind, rule from device_groups where id = $1 and status = 1 and deleted_at is null`,
    [id],
  )
  const [row] = rows
  const group = (members: SlotSet): DeviceGroupState => ({
    id,
    tenantId: row?.tenantId ?? 0,
    isDynamic: row?.kind === 2,
    members,
  })
  if (!row) return group(new SlotSet())
  if (row.kind === 2) return group(await matching(db, state, row))
  const query = `select device_id from device_group_members where group_id = ${Number(id)}`
  return group(await readMembers(client, state, query))
}

const PAGE = 50_000

/** Returns the devices of a dynamic group: of any tenant for the vendor, otherwise of the group's tenant. */
async function matching(db: Db, state: DeviceState, { tenantId, rule }: GroupRow) {
  const members = new SlotSet()
  const own = tenantId === PLATFORM_TENANT_ID ? undefined : eq(devices.tenantId, tenantId)
  for (let last = 0; ; ) {
    const rows = await db
      .select({ id: devices.id })
      .from(devices)
      .where(and(gt(devices.id, last), own, notDeleted(devices), matchesRule(rule ?? {})))
      .orderBy(asc(devices.id))
      .limit(PAGE)
    for (const { id } of rows) {
      const slot = state.slots.slotOf(id)
      if (slot >= 0) members.add(slot)
    }
    if (rows.length < PAGE) return members
    last = rows.at(-1)!.id
  }
}

/** Updates allowlists: the given devices, or the whole list. */
export async function reloadAllowlists(
  client: pg.Client,
  state: FleetState,
  otaId: number,
  few: Iterable<number> | null,
) {
  const rule = state.rules.get(otaId)
  if (!rule) return
  if (few) return refreshFew(client, state, rule.allowlistSlots, few, ['ota_whites', 'ota_id', otaId])
  const allowlistSlots = await readAllowlist(client, state, otaId)
  const next = { ...rule, ...createMembers(state, allowlistSlots, rule.groupIds), allowlistSlots }
  state.replaceRules([otaId], [next])
}

export async function reloadGroup(
  client: pg.Client,
  db: Db,
  state: FleetState,
  id: number,
  few: Iterable<number> | null,
) {
  const group = state.groups.get(id)
  if (!group) return
  if (!few || group.isDynamic) return loadGroup(client, db, state, id)
  await refreshFew(client, state, group.members, few, ['device_group_members', 'group_id', id])
}

async function refreshFew(
  client: QueryClient,
  state: FleetState,
  members: SlotSet,
  few: Iterable<number>,
  [table, column, list]: readonly [string, string, number],
) {
  const ids = [...few]
  const { rows } = await client.query<{ id: number }>(
    `select device_id as id from ${table} where ${column} = $1 and device_id = any($2)`,
    [list, ids],
  )
  const now = new Set(rows.map(({ id }) => id))
  for (const id of ids) {
    const slot = state.slots.slotOf(id)
    if (slot < 0) continue
    if (!now.has(id)) members.delete(slot)
    else {
      members.add(slot)
      if (table === 'ota_whites') state.slots.flags[slot]! |= SLOT_FLAG.listed
    }
  }
}
