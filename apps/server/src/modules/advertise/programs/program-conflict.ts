import { type Conflict, checkConflicts, MAX_CONFLICT_DAYS } from '@oms/contract/advertise/engine/conflicts/conflict.ts'
import type { ManifestAd } from '@oms/contract/advertise/engine/manifest.ts'
import { findReportedCodec, listCodecNames } from '@oms/contract/advertise/engine/renditions.ts'
import type { programChecks as calls } from '@oms/contract/advertise/program-check.ts'
import { RESOLUTION_PATTERN } from '@oms/contract/advertise/program-input.ts'
import type { ParsedOf, ResultOf } from '@oms/contract/core/endpoint.ts'
import { type SQL, sql, and } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { withoutRowSecurity, isTenantInScope } from '#core/tenancy/tenancy.ts'
import { addDays, formatLocalDay } from '#core/time/zone.ts'
import { visibleDevices } from '#modules/device/device-filter.ts'
import {
  buildManifest,
  loadAdsOfPrograms,
  MAX_BYTES,
  MAX_FILES,
  MAX_PROGRAMS,
  type ProgramInForce,
  loadProgramsInForce,
} from '../manifests/manifest.ts'
import type { ProgramBody } from '../schema.ts'
import { type ScreenSet, readScreenSets } from '../screens/screen-sets.ts'
import { type HiddenAds, readHiddenAds, readMissingAds } from './program-items.ts'
import { prepareProgramContent } from './program-save.ts'
import { HAS_SCREEN_CONDITION, buildTargetCondition } from './program-targets.ts'
import { readProgramContent, readProgram, type ProgramContent, toProgramBody, type StoredProgram } from './program.ts'

type Result = ResultOf<typeof calls.conflict>
type Found = Result['errors'][number]

export async function findConflicts(ctx: Ctx, { id, verNo }: ParsedOf<typeof calls.conflict>): Promise<Result> {
  const stored = await readProgram(ctx, id)
  const content = verNo === undefined ? stored : await readProgramContent(ctx.db, stored, verNo)
  return conflictsOf(ctx, content)
}

/** Checks content that is not saved. */
export const findDraftConflicts = async (ctx: Ctx, input: ParsedOf<typeof calls.draftConflict>): Promise<Result> =>
  conflictsOf(ctx, await prepareDraft(ctx, input))

/**
 * Refuses to publish a program with conflicts that stop the publishing. Other checks before a publishing wait until this
 * transaction ends, so two programs that conflict with each other are never published at the same time.
 */
export async function assertNoConflicts(ctx: Ctx, content: CheckedProgram): Promise<void> {
  await ctx.db.execute(sql`select pg_advisory_xact_lock(hashtext('ad conflicts'))`)
  const { errors } = await conflictsOf(ctx, content)
  if (errors.length === 0) return
  const single = errors.find(({ code }) => code === 'sharesAbove100' || code === 'tooLarge')
  throw invalid(single?.text ?? `请先处理冲突：${errors.map(({ text }) => text).join('；')}`)
}

/**
 * Checks a program against the other programs of each distinct set of its screens. Reads without row-level security,
 * because programs of the platform play on screens of tenants too.
 */
async function conflictsOf(ctx: Ctx, content: CheckedProgram): Promise<Result> {
  const { services, now } = ctx
  const subject = await readCheckSubject(ctx, content)
  const { body, sets } = subject
  const { known, ofAds, ofScreens, hidden } = await withoutRowSecurity(ctx, (db) =>
    factsFor({ ...ctx, db }, subject, content.resolution),
  )
  const errors = new Map<string, Found>()
  const warnings = new Map<string, Found>()
  const checked = sets.length > 0 ? sets : [NO_SCREEN(services.config.timeZone)]
  // The first day is today in the zone of the screens.
  const days = checked.map(({ zone }) => formatLocalDay(now, zone))
  for (const [at, set] of checked.entries()) {
    const bodies = [...listOtherBodies(subject, set), body]
    const report = checkConflicts(buildManifest(set.zone, bodies, known), body.id, days[at]!, { ads: ofAds })
    for (const each of report.errors) add(errors, withoutHiddenId(each, hidden), set.screens)
    for (const each of report.warnings) add(warnings, withoutHiddenId(each, hidden), set.screens)
    const excess = excessOf(bodies.length, bodies, known)
    if (excess) add(errors, { code: 'tooLarge', text: `该屏幕的节目超出容量：${excess}`, adId: null }, set.screens)
  }
  for (const each of ofScreens) warnings.set(each.text, each)
  days.sort()
  const from = days[0]!
  const last = addDays(days.at(-1)!, MAX_CONFLICT_DAYS - 1)
  return {
    screens: sets.reduce((sum, set) => sum + set.screens, 0),
    sets: sets.length,
    from,
    to: content.dateTo < last ? content.dateTo : last,
    errors: byScreens(errors),
    warnings: byScreens(warnings),
  }
}

async function factsFor({ db, user }: Pick<Ctx, 'db' | 'user'>, subject: CheckSubject, resolution: string) {
  const { body, others } = subject
  const known = await loadAdsOfPrograms(db, [body, ...[...others.values()].map((each) => each.body)])
  const adIds = body.items.map(({ adId }) => adId)
  const hidden = await readHiddenAds({ db, user }, adIds)
  for (const [id, name] of hidden) {
    const ad = known.get(id)
    if (ad) known.set(id, { ...ad, name })
  }
  const ofAds = await readMissingAds(
    db,
    [...new Set(adIds)].filter((id) => !known.has(id)),
  )
  return {
    known,
    ofAds: ofAds.map((ad) => ({ ...ad, name: hidden.get(ad.id) ?? ad.name })),
    ofScreens: await screenWarnings(db, { ...subject, resolution }, known),
    hidden,
  }
}

/** Returns the conflict without the id of an ad that the caller may not read. */
const withoutHiddenId = (conflict: Conflict, hidden: HiddenAds): Conflict =>
  conflict.adId !== null && hidden.has(conflict.adId) ? { ...conflict, adId: null } : conflict

/** Stands for the screens while no screen is targeted, so that ads and dates are checked too. */
const NO_SCREEN = (zone: string) => ({ zone, programIds: [], screens: 0, deviceId: 0 })

function add(
  list: Map<string, Found>,
  { code, text, adId }: Pick<Conflict, 'text' | 'adId'> & { code: string },
  screens: number,
) {
  const before = list.get(text)
  list.set(text, { code, text, adId, screens: (before?.screens ?? 0) + screens })
}

const byScreens = (list: Map<string, Found>) => [...list.values()].sort((a, b) => b.screens - a.screens)

/** Returns what exceeds the limits of one screen, or undefined. */
function excessOf(
  programs: number,
  bodies: readonly { items: readonly { adId: number }[] }[],
  known: ReadonlyMap<number, ManifestAd>,
) {
  const files = new Map<string, number>()
  for (const { items } of bodies)
    for (const { adId } of items) for (const { sha256, size } of known.get(adId)?.files ?? []) files.set(sha256, size)
  const bytes = [...files.values()].reduce((sum, size) => sum + size, 0)
  if (programs > MAX_PROGRAMS) return `${programs} 个节目单，最多 ${MAX_PROGRAMS} 个`
  if (files.size > MAX_FILES) return `${files.size} 个文件，最多 ${MAX_FILES} 个`
  return bytes > MAX_BYTES ? `${(bytes / 1024 ** 3).toFixed(1)} GB，最多 8 GB` : undefined
}

/**
 * Counts the screens without a needed codec, with the other orientation, of another size, or without enough free
 * storage. Uses one statement.
 */
async function screenWarnings(
  db: Db,
  { body, where, resolution }: CheckSubject & { readonly resolution: string },
  known: ReadonlyMap<number, ManifestAd>,
) {
  const used = [...new Set(body.items.map(({ adId }) => adId))].flatMap((id) => known.get(id) ?? [])
  if (used.length === 0) return []
  const bytes = used.reduce((sum, { files }) => sum + Math.min(...files.map(({ size }) => size), Infinity), 0)
  const { rows } = await db.execute<{ codec: number; turned: number; sized: number; full: number }>(sql`
    select count(*) filter (where ${lacksCodec(used)})::int as codec,
      count(*) filter (where ${isTurned(used)})::int as turned,
      count(*) filter (where ${isOfOtherSize(resolution)})::int as sized,
      count(*) filter (where s.free_bytes < ${Number.isFinite(bytes) ? bytes : 0})::int as full
    from devices join ad_screens s on s.device_id = devices.id where ${where} and ${HAS_SCREEN_CONDITION}`)
  const { codec = 0, turned = 0, sized = 0, full = 0 } = rows[0] ?? {}
  return [
    { code: 'codecUnsupported', text: '屏幕不支持部分广告的编码', screens: codec, adId: null },
    { code: 'otherOrientation', text: '屏幕的方向与部分广告不同', screens: turned, adId: null },
    { code: 'otherResolution', text: `屏幕的分辨率不是 ${resolution}`, screens: sized, adId: null },
    { code: 'noRoom', text: '屏幕的存储空间可能不足', screens: full, adId: null },
  ].filter(({ screens }) => screens > 0)
}

const anyOf = (conditions: readonly SQL[]) =>
  conditions.length === 0 ? sql`false` : sql`(${sql.join([...conditions], sql` or `)})`

/** Returns the condition for screens that reported their codecs and cannot play any rendition of some ad. */
function lacksCodec(used: readonly ManifestAd[]): SQL {
  const lists = used.flatMap(({ files }) => {
    const codecs = files.map(({ codec }) => findReportedCodec(codec))
    // Screens play files whose codec is unknown, and try codecs that players do not report.
    const reported = codecs.filter((codec) => codec !== undefined)
    return codecs.length === 0 || reported.length < codecs.length ? [] : [reported.flatMap(listCodecNames)]
  })
  const missing = lists.map(
    (names) => sql`not exists (select from unnest(s.codecs) as c
      where lower(split_part(trim(c), '.', 1)) = any(${sql.param(names)}::text[]))`,
  )
  return sql`cardinality(s.codecs) > 0 and ${anyOf(missing)}`
}

/** Returns the condition for screens that reported another size than that of the program. */
function isOfOtherSize(resolution: string): SQL {
  const [, width, height] = RESOLUTION_PATTERN.exec(resolution) ?? []
  if (width === undefined) return sql`false`
  return sql`s.width > 0 and (s.width, s.height) <> (${Number(width)}::int, ${Number(height)}::int)`
}

/**
 * Returns the condition for screens that reported their size, when all renditions of some ad have the other
 * orientation.
 */
function isTurned(used: readonly ManifestAd[]): SQL {
  const sides = used.flatMap(({ files }) => {
    const sized = files.filter(({ width, height }) => width > 0 && height > 0 && width !== height)
    if (sized.length === 0 || sized.length < files.length) return []
    const wide = sized.filter(({ width, height }) => width > height).length
    return wide === 0 ? ['portrait'] : wide === sized.length ? ['landscape'] : []
  })
  const conditions = [
    ...(sides.includes('portrait') ? [sql`s.width > s.height`] : []),
    ...(sides.includes('landscape') ? [sql`s.height > s.width`] : []),
  ]
  return sql`s.width > 0 and ${anyOf(conditions)}`
}

/** Content of a program that a check reads. */
export type CheckedProgram = ProgramContent & Pick<StoredProgram, 'verNo' | 'targetType' | 'targetIds' | 'resolution'>

/** A program to check, with the screens that it reaches and the other programs of these screens. */
export interface CheckSubject {
  /** Body that publishing the program would store now. */
  readonly body: ProgramBody
  /** Condition on `devices`. */
  readonly where: SQL
  /** The other programs in force, by id. */
  readonly others: ReadonlyMap<number, ProgramInForce>
  /** Version of the program that is in force now. */
  readonly current: ProgramInForce | undefined
  readonly sets: readonly ScreenSet[]
}

/**
 * Returns what a check of a program needs. Reads without row-level security, because programs of the platform play on
 * screens of tenants too; the screens are limited to those that the caller may see.
 */
export const readCheckSubject = (
  ctx: Pick<Ctx, 'db' | 'user' | 'now' | 'services'>,
  content: CheckedProgram,
): Promise<CheckSubject> => withoutRowSecurity(ctx, (db) => readSubject({ ...ctx, db }, content))

async function readSubject(
  { db, user, now, services }: Pick<Ctx, 'db' | 'user' | 'now' | 'services'>,
  content: CheckedProgram,
): Promise<CheckSubject> {
  const { config } = services
  const body = toProgramBody(content, { verNo: content.verNo + 1, publishedAt: now.getTime() })
  const live = await loadProgramsInForce(db, now)
  const where = and(visibleDevices(user), await buildTargetCondition(db, content)) as SQL
  const sets = await readScreenSets(db, where, { programs: live, standardZone: config.timeZone })
  return {
    body,
    where,
    others: new Map(live.flatMap((each) => (each.id === content.id ? [] : [[each.id, each]]))),
    current: live.find(({ id }) => id === content.id),
    sets,
  }
}

/** Returns the bodies of the other programs of a set. */
export const listOtherBodies = ({ others }: Pick<CheckSubject, 'others'>, { programIds }: ScreenSet): ProgramBody[] =>
  programIds.flatMap((id) => others.get(id)?.body ?? [])

/**
 * Returns the content that saving the input would store, without storing it. Refuses what a save refuses in dates, ads
 * and targets.
 */
export async function prepareDraft(
  ctx: Ctx,
  { id, tenantId: asked, ...input }: ParsedOf<typeof calls.draftConflict>,
): Promise<CheckedProgram> {
  const { user } = ctx
  const stored = id === undefined ? undefined : await readProgram(ctx, id)
  const tenantId = stored?.tenantId ?? asked ?? user.tenantId ?? 0
  if (!stored && !isTenantInScope(user, tenantId)) throw invalid('请选择客户', 'tenantId')
  const before = { tenantId, items: stored?.items ?? [], ...(stored && { id: stored.id }) }
  const content = await prepareProgramContent(ctx, before, input)
  return { ...content, id: stored?.id ?? 0, tenantId, verNo: stored?.verNo ?? 0 }
}
