import { FALLBACK } from '@oms/contract/advertise/engine/manifest.ts'
import { PROGRAM_STATUS, PROGRAM_VERSION_STATE } from '@oms/contract/advertise/program-words.ts'
import type { programs as calls } from '@oms/contract/advertise/program.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, getTableColumns, gte, lte, not, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { contains, buildSort, paginate, within, byName } from '#core/database/lists/list-query.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { tenants } from '#core/schema/tenant.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { canonicalJson, readFileDurations, withFileDurations } from '../content.ts'
import { adPrograms, adProgramVersions, type ProgramBody } from '../schema.ts'
import {
  buildAwaitingProgramAuditCondition,
  buildOutOfScopeProgramCondition,
  isLimitedStaff,
  visiblePrograms,
} from '../scope.ts'
import { readItemViews, sumItemSeconds } from './program-items.ts'
import { readTargetNames } from './program-targets.ts'

export type StoredProgram = typeof adPrograms.$inferSelect
type Filter = Omit<ParsedOf<typeof calls.list>, 'pageNum' | 'pageSize'>

/** Number of the version that waits for approval; 0: none. */
const waitingVer = sql<number>`coalesce((select max(w.ver_no) from ad_program_versions w
  where w.program_id = ${adPrograms.id} and w.state = ${PROGRAM_VERSION_STATE.waiting}), 0)::int`

/** True when the account published the version that waits for approval. */
const isOwnWaiting = ({ uid }: User) => sql<boolean>`exists (select from ad_program_versions w
  where w.program_id = ${adPrograms.id} and w.state = ${PROGRAM_VERSION_STATE.waiting} and w.publish_by = ${uid})`

const selectPrograms = ({ db, user }: Pick<Ctx, 'db' | 'user'>) =>
  db
    .select({
      ...getTableColumns(adPrograms),
      tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
      waitingVer: waitingVer.as('waiting_ver'),
      isOwnWaiting: isOwnWaiting(user).as('is_own_waiting'),
      isBeyondScope: buildOutOfScopeProgramCondition(user, adPrograms.id).as('is_beyond_scope'),
      newest: adProgramVersions,
    })
    .from(adPrograms)
    .leftJoin(tenants, eq(tenants.id, adPrograms.tenantId))
    .leftJoin(
      adProgramVersions,
      and(eq(adProgramVersions.programId, adPrograms.id), eq(adProgramVersions.verNo, adPrograms.verNo)),
    )
type Selected = Awaited<ReturnType<typeof selectPrograms>>[number]

/**
 * Returns the status that the console shows. A program in force is delivered once nearly all screens have its version.
 */
const shownStatus = ({ status, deliveredVer, publishedVer }: StoredProgram) =>
  status === PROGRAM_STATUS.delivering && deliveredVer === publishedVer ? PROGRAM_STATUS.delivered : status

const present = ({ newest, ...stored }: Selected, fileMs: FileMs) => {
  const row = withFileDurations(stored, fileMs)
  return {
    ...row,
    status: shownStatus(row),
    itemCount: row.items.length,
    targetCount: row.targetIds.length,
    totalDuration: sumItemSeconds(row.items),
    rejectedRemark: newest?.state === PROGRAM_VERSION_STATE.rejected ? newest.auditRemark : null,
    hasChanges: newest !== null && !isSameContent(row, newest, fileMs),
  }
}

/**
 * Removes the ids of ads and targets from a row of the list, because they may belong to tenants outside the data scope.
 */
const withoutContent = ({ items: _items, targetIds: _targetIds, ...row }: ReturnType<typeof present>) => row

type FileMs = (adId: number) => number | undefined

/** Reads the durations of the approved videos and audios of programs: their items last as long as these files. */
export async function readFileMs(db: Db, programs: readonly Pick<StoredProgram, 'items'>[]): Promise<FileMs> {
  const adIds = programs.flatMap(({ items }) => items.map(({ adId }) => adId))
  const durations = await readFileDurations(db, adIds)
  return (adId) => durations.get(adId)
}

/**
 * Returns true when publishing the edited content again would change nothing. The comparison uses the durations of the
 * files that are approved now for both versions.
 */
export const isSameContent = (row: StoredProgram, version: NonNullable<Selected['newest']>, fileMs: FileMs) =>
  isSamePlayback(withFileDurations(row, fileMs), withFileDurations(version.body, fileMs)) &&
  row.targetType === version.targetType &&
  row.resolution === version.resolution &&
  [...row.targetIds].sort().join() === [...version.targetIds].sort().join()

function statusIs(status: number): SQL | undefined {
  if (status === PROGRAM_STATUS.waiting)
    return sql`exists (select from ad_program_versions w
      where w.program_id = ${adPrograms.id} and w.state = ${PROGRAM_VERSION_STATE.waiting})`
  const { delivering, delivered } = PROGRAM_STATUS
  if (status !== delivering && status !== delivered) return eq(adPrograms.status, status)
  const isDelivered = eq(adPrograms.deliveredVer, adPrograms.publishedVer)
  return and(eq(adPrograms.status, delivering), status === delivered ? isDelivered : not(isDelivered))
}

const conditionsOf = (user: User, filter: Filter) =>
  and(
    visiblePrograms(user),
    contains(adPrograms.programName, filter.programName),
    filter.status === undefined ? undefined : statusIs(filter.status),
    filter.insertMode === undefined ? undefined : eq(adPrograms.insertMode, filter.insertMode),
    filter.targetType === undefined ? undefined : eq(adPrograms.targetType, filter.targetType),
    filter.tenantId === undefined ? undefined : eq(adPrograms.tenantId, filter.tenantId),
    filter.playDate === undefined ? undefined : lte(adPrograms.dateFrom, filter.playDate),
    filter.playDate === undefined ? undefined : gte(adPrograms.dateTo, filter.playDate),
    filter.adId === undefined
      ? undefined
      : sql`${adPrograms.id} in (select program_id from ad_uses where ad_id = ${filter.adId})`,
    filter.todo === undefined ? undefined : buildAwaitingProgramAuditCondition(user),
    ...within(adPrograms.createTime, filter.beginTime, filter.endTime),
  )

const SORTABLE = {
  programName: byName(adPrograms.programName),
  priority: adPrograms.priority,
  dateFrom: adPrograms.dateFrom,
  dateTo: adPrograms.dateTo,
  createTime: adPrograms.createTime,
  updateTime: adPrograms.updateTime,
} as const

export async function listPrograms({ db, user }: Ctx, input: ParsedOf<typeof calls.list>) {
  const rows = selectPrograms({ db, user }).where(conditionsOf(user, input)).$dynamic()
  const page = await paginate(db, rows, input, buildSort(input, SORTABLE, adPrograms.id))
  const fileMs = await readFileMs(db, page.list)
  return { ...page, list: page.list.map((row) => withoutContent(present(row, fileMs))) }
}

/** Returns a program that the caller may see. */
export async function readProgram({ db, user }: Pick<Ctx, 'db' | 'user'>, id: number): Promise<Selected> {
  const [found] = await selectPrograms({ db, user }).where(and(eq(adPrograms.id, id), visiblePrograms(user)))
  if (!found) throw notFound('节目单')
  return found
}

export async function getProgram(ctx: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const { db, user } = ctx
  const stored = await readProgram(ctx, id)
  const row = present(stored, await readFileMs(db, [stored]))
  const targets = await readTargetNames(db, user, row)
  return {
    ...row,
    items: await readItemViews({ db, user }, row.items),
    targets,
    ...(isLimitedStaff(user) && { targetIds: targets.map(({ id: targetId }) => targetId) }),
  }
}

/** Returns a program with the content of one of its versions. */
export async function readProgramContent(db: Db, program: StoredProgram, verNo: number): Promise<StoredProgram> {
  const [version] = await db
    .select()
    .from(adProgramVersions)
    .where(and(eq(adProgramVersions.programId, program.id), eq(adProgramVersions.verNo, verNo)))
  if (!version) throw notFound('版本')
  const { body, targetType, targetIds, resolution } = version
  return {
    ...program,
    ...toRuleColumns(body),
    items: body.items,
    isDefault: body.fallback > 0 ? 1 : 0,
    targetType,
    targetIds,
    resolution,
  }
}

/** Columns of a program that decide what its screens play. */
export type ProgramContent = Pick<
  typeof adPrograms.$inferSelect,
  | 'id'
  | 'tenantId'
  | 'programName'
  | 'items'
  | 'playMode'
  | 'priority'
  | 'insertMode'
  | 'shareOfVoice'
  | 'dateFrom'
  | 'dateTo'
  | 'weekdays'
  | 'dayParts'
  | 'isDefault'
>

/** Returns the content of a version. `published` names the version and the instant of publishing. */
export const toProgramBody = (
  program: ProgramContent,
  published: { readonly verNo: number; readonly publishedAt: number },
): ProgramBody => ({
  id: program.id,
  verNo: published.verNo,
  name: program.programName,
  publishedAt: published.publishedAt,
  playMode: program.playMode as ProgramBody['playMode'],
  priority: program.priority,
  insertMode: program.insertMode as ProgramBody['insertMode'],
  share: program.shareOfVoice,
  dateFrom: program.dateFrom,
  dateTo: program.dateTo,
  weekdays: program.weekdays,
  dayParts: program.dayParts,
  fallback: fallbackOf(program),
  items: program.items,
})

/** Returns name and rules of a version with the names of the columns of a program. */
export const toRuleColumns = (body: ProgramBody) => ({
  programName: body.name,
  playMode: body.playMode,
  priority: body.priority,
  insertMode: body.insertMode,
  shareOfVoice: body.share,
  dateFrom: body.dateFrom,
  dateTo: body.dateTo,
  weekdays: body.weekdays,
  dayParts: body.dayParts,
})

function fallbackOf({ isDefault, tenantId }: ProgramContent) {
  if (isDefault === 0) return FALLBACK.none
  return tenantId === PLATFORM_TENANT_ID ? FALLBACK.platform : FALLBACK.tenant
}

/** Returns true when a program plays the same as a published version. Ignores number and time of publishing. */
const isSamePlayback = (program: ProgramContent, body: ProgramBody): boolean =>
  canonicalJson(toProgramBody(program, body)) === canonicalJson(body)
