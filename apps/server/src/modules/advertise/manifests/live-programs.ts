import type pg from 'pg'
import type { AdBody, ProgramBody } from '../schema.ts'
import { fileMsOf } from '../file-durations.ts'
import type { LiveAd, LiveProgram } from './manifest-set.ts'

const DAY_MS = 86_400_000
/** A program is delivered to screens from this number of days before its first date. */
const DAYS_BEFORE = 30
const PLATFORM = 1

/** Codes of the kinds of targets of a program version. `all` is the target of default programs. */
export const PROGRAM_TARGET_CODE = { all: 0, devices: 1, groups: 2, models: 3, tenants: 4 } as const

export interface TargetedProgram extends LiveProgram {
  readonly tenantId: number
  readonly targetType: number
  readonly targetIds: ReadonlySet<number>
}

/** Members of groups by slot. */
export type Groups = ReadonlyMap<number, { readonly members: { has(slot: number): boolean } }>

interface SlotFacts {
  readonly slot: number
  readonly deviceId: number
  readonly tenantId: number
  readonly modelId: number
}

/** True when a program is delivered to a device. */
export function isProgramTarget(
  program: TargetedProgram,
  { slot, deviceId, tenantId, modelId }: SlotFacts,
  groups: Groups,
) {
  if (program.tenantId !== PLATFORM && program.tenantId !== tenantId) return false
  const { targetType, targetIds } = program
  if (targetType === PROGRAM_TARGET_CODE.devices) return targetIds.has(deviceId)
  if (targetType === PROGRAM_TARGET_CODE.models) return targetIds.has(modelId)
  if (targetType === PROGRAM_TARGET_CODE.tenants) return targetIds.has(tenantId)
  if (targetType === PROGRAM_TARGET_CODE.all) return true
  for (const id of targetIds) if (groups.get(id)?.members.has(slot)) return true
  return false
}

/** True while a program is delivered: from 30 days before its first date to two days after its last, in any zone. */
export function isDelivered({ body }: { readonly body: Pick<ProgramBody, 'dateFrom' | 'dateTo'> }, now: number) {
  const day = (days: number) => new Date(now + days * DAY_MS).toISOString().slice(0, 10)
  return body.dateFrom <= day(DAYS_BEFORE) && body.dateTo >= day(-2)
}

interface ProgramRow {
  readonly id: number
  readonly tenantId: number
  readonly targetType: number
  readonly targetIds: number[]
  readonly body: ProgramBody
}

/** Loads the programs in force: all programs, or the given programs. Paused, ended and deleted programs have no row. */
export async function loadPrograms(client: pg.Client, few?: readonly number[]): Promise<TargetedProgram[]> {
  const { rows } = await client.query<ProgramRow>(
    `select p.id, p.tenant_id as "tenantId", v.target_type as "targetType", v.target_ids as "targetIds", v.body
     from ad_programs p join ad_program_versions v on v.program_id = p.id and v.ver_no = p.published_ver
     where p.published_ver > 0 and p.status not in (4, 5) and p.deleted_at is null and v.state = 2
       and ($1::int[] is null or p.id = any($1))`,
    [few ?? null],
  )
  return rows.map(({ targetType, targetIds, ...row }) => {
    const targets = row.body.fallback > 0 ? { targetType: PROGRAM_TARGET_CODE.all } : { targetType }
    return { ...row, ...targets, targetIds: new Set(targetIds), json: JSON.stringify(row.body) }
  })
}

/** Loads the approved content of enabled ads. Omits the review data, which players must not receive. */
export async function loadAds(client: pg.Client, ids: readonly number[]): Promise<Map<number, LiveAd>> {
  if (ids.length === 0) return new Map()
  const { rows } = await client.query<{ id: number; body: AdBody }>(
    `select a.id, v.body from ads a join ad_versions v on v.ad_id = a.id and v.ver_no = a.approved_ver
     where a.id = any($1) and a.enable_stat = 1 and a.deleted_at is null and v.audit_status = 2`,
    [ids],
  )
  return new Map(
    rows.map(({ id, body: { review, ...body } }) => [
      id,
      { body, json: JSON.stringify(body), fileMs: fileMsOf(body.type, review?.durationMs) },
    ]),
  )
}

export const collectAdIds = (programs: Iterable<LiveProgram>) => [
  ...new Set([...programs].flatMap(({ body }) => body.items.map(({ adId }) => adId))),
]
