import { ProgramInput, type ProgramValues } from '@oms/contract/advertise/program-input.ts'
import {
  formatDayParts,
  INSERT_MODE_NAME,
  PLAY_MODE_NAME,
  PROGRAM_STATUS,
  PROGRAM_TARGET_NAME,
  formatWeekdays,
  YES_NO,
  MAX_PROGRAM_DAYS,
} from '@oms/contract/advertise/program-words.ts'
import type { programs as calls } from '@oms/contract/advertise/program.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, sql } from 'drizzle-orm'
import { readFieldTitles } from '#core/audit/field-titles.ts'
import { listChanges } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { toUniqueViolation } from '#core/database/error-codes.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { conflict, invalid, notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import { isTenantInScope } from '#core/tenancy/tenancy.ts'
import { resolveOwningTenant } from '#core/tenancy/tenant-state.ts'
import { addDays, formatLocalDay } from '#core/time/zone.ts'
import { publishAdvertisingChange } from '../content.ts'
import { adPrograms, type StoredProgramItem } from '../schema.ts'
import { assertProgramInScope, assertTargetInScope, visiblePrograms } from '../scope.ts'
import { readAdNames, prepareItems, sumItemSeconds } from './program-items.ts'
import { checkTargets, readTargetNames } from './program-targets.ts'
import { readProgram, type StoredProgram } from './program.ts'

export const PROGRAM_BIZ_TYPE = 'adProgram'
const TITLES = readFieldTitles(ProgramInput.shape)
const CLASHES = {
  ad_programs_default: ['已有默认节目单，请先取消原来的默认节目单', 'isDefault'],
} as const
const MAX_NAME = 32
const COPY_SUFFIX = ' 副本'

/** Returns the program, locked until the transaction ends. Refuses programs that the account may only read. */
export async function lockProgram({ db, user }: Ctx, id: number): Promise<StoredProgram> {
  const [found] = await db
    .select()
    .from(adPrograms)
    .where(and(eq(adPrograms.id, id), visiblePrograms(user)))
    .for('update')
  if (!found) throw notFound('节目单')
  await assertProgramInScope(db, user, id)
  return found
}

export async function createProgram(ctx: Ctx, { tenantId: asked, ...input }: ParsedOf<typeof calls.create>) {
  const { db, user } = ctx
  const { id: tenantId } = await resolveOwningTenant(ctx, asked, 'tenantId')
  if (!isTenantInScope(user, tenantId)) throw invalid('请选择客户', 'tenantId')
  const fields = await prepareProgramContent(ctx, { tenantId, items: [] }, input)
  const [made] = await db
    .insert(adPrograms)
    .values({ ...fields, tenantId, createBy: user.uid, updateBy: user.uid })
    .returning({ id: adPrograms.id })
    .catch(rethrowClash)
  const { id } = made!
  await refreshAdUses(db, id)
  ctx.audit({
    bizType: PROGRAM_BIZ_TYPE,
    bizId: id,
    action: `新增节目单「${input.programName}」`,
    diff: listChanges({}, await inWords(ctx, { ...fields, tenantId }), TITLES),
  })
  await publishAdvertisingChange(ctx, tenantId)
  return { id }
}

/** Saves the edited content. Screens play the saved content only after the next publishing. */
export async function updateProgram(ctx: Ctx, { id, rev, ...input }: ParsedOf<typeof calls.update>) {
  const { db, user, now } = ctx
  const stored = await lockProgram(ctx, id)
  await checkRevision(db, stored, rev)
  const fields = await prepareProgramContent(ctx, stored, input)
  const diff = listChanges(
    await inWords(ctx, stored),
    await inWords(ctx, { ...fields, tenantId: stored.tenantId }),
    TITLES,
  )
  ctx.audit({ bizType: PROGRAM_BIZ_TYPE, bizId: id, action: `修改节目单「${stored.programName}」`, diff })
  if (diff.length === 0) return { rev: stored.rev }
  const [saved] = await db
    .update(adPrograms)
    .set({ ...fields, ...updateColumns(stored, user.uid, now) })
    .where(eq(adPrograms.id, id))
    .returning({ rev: adPrograms.rev })
    .catch(rethrowClash)
  await refreshAdUses(db, id)
  await publishAdvertisingChange(ctx, stored.tenantId)
  return saved!
}

export async function removeProgram(ctx: Ctx, { id }: ParsedOf<typeof calls.remove>) {
  const { db, user, now } = ctx
  const stored = await lockProgram(ctx, id)
  const { waitingVer } = await readProgram(ctx, id)
  const isIdle = stored.status === PROGRAM_STATUS.draft || stored.status === PROGRAM_STATUS.ended
  if (!isIdle || waitingVer > 0) throw conflict('节目单已发布，请先撤回再删除')
  await assertTargetInScope(db, user, stored)
  await db
    .update(adPrograms)
    .set({ deletedAt: now.toISOString(), ...updateColumns(stored, user.uid, now) })
    .where(eq(adPrograms.id, id))
  await refreshAdUses(db, id)
  ctx.audit({ bizType: PROGRAM_BIZ_TYPE, bizId: id, action: `删除节目单「${stored.programName}」` })
  await publishAdvertisingChange(ctx, stored.tenantId)
  return null
}

/** Copies the edited content into a new draft. A copy is never the default program. */
export async function copyProgram(ctx: Ctx, { id }: ParsedOf<typeof calls.copy>) {
  const { db, user } = ctx
  const source = await readProgram(ctx, id)
  await resolveOwningTenant(ctx, source.tenantId)
  await assertProgramInScope(db, user, id)
  await assertTargetInScope(db, user, { ...source, isDefault: 0 })
  const { description, items, playMode, priority, insertMode, shareOfVoice, dateFrom, dateTo } = source
  const { weekdays, dayParts, targetType, targetIds, resolution, totalDuration } = source
  const schedule = { playMode, priority, insertMode, shareOfVoice, dateFrom, dateTo, weekdays, dayParts }
  const rest = { description, items, targetType, targetIds, resolution, totalDuration }
  const programName = copyName(source.programName)
  const { tenantId } = source
  const [made] = await db
    .insert(adPrograms)
    .values({ ...schedule, ...rest, programName, tenantId, createBy: user.uid, updateBy: user.uid })
    .returning({ id: adPrograms.id })
  const copied = made!.id
  await refreshAdUses(db, copied)
  ctx.audit({
    bizType: PROGRAM_BIZ_TYPE,
    bizIds: [id, copied],
    action: `复制节目单「${source.programName}」为「${programName}」`,
  })
  await publishAdvertisingChange(ctx, tenantId)
  return { id: copied }
}

const copyName = (name: string) => `${name.slice(0, MAX_NAME - COPY_SUFFIX.length)}${COPY_SUFFIX}`

/** Checks ads and targets, and returns the columns to store. */
export async function prepareProgramContent(
  ctx: Ctx,
  stored: Pick<StoredProgram, 'tenantId' | 'items'> & { readonly id?: number },
  input: ProgramValues,
) {
  const { id: programId, tenantId } = stored
  const problems = new FieldProblems()
  await problems.collect(() => assertLastDate(ctx, input.dateTo))
  const wanted = { programId, tenantId, items: input.items, before: stored.items }
  const items = (await problems.collect(() => prepareItems(ctx, wanted))) ?? []
  const targetIds = (await problems.collect(() => checkTargets(ctx, { ...input, tenantId }))) ?? []
  problems.throwIfAny()
  return { ...input, items, targetIds, shareOfVoice: input.shareOfVoice ?? null, totalDuration: sumItemSeconds(items) }
}

type Content = Awaited<ReturnType<typeof prepareProgramContent>> & { tenantId: number }

/** Replaces codes by labels and ids by names for the operation log. */
async function inWords(
  { db, user }: Ctx,
  content: Omit<Content, keyof ProgramValues> & Pick<StoredProgram, keyof ProgramValues>,
) {
  const names = await readAdNames(
    { db, user },
    content.items.map(({ adId }) => adId),
  )
  const targets = await readTargetNames(db, user, content)
  return {
    ...content,
    items: content.items.map((item) => itemText(item, names.get(item.adId) ?? `${item.adId}`)).join('、'),
    playMode: label(PLAY_MODE_NAME, content.playMode),
    insertMode: label(INSERT_MODE_NAME, content.insertMode),
    weekdays: formatWeekdays(content.weekdays),
    dayParts: formatDayParts(content.dayParts),
    targetType: label(PROGRAM_TARGET_NAME, content.targetType),
    targetIds: describeTargets(content.targetIds.length, targets),
    isDefault: label(YES_NO, content.isDefault),
  }
}

/** Names the targets that the account may see and counts the others, so that every change of targets appears in the log. */
function describeTargets(count: number, targets: readonly { readonly name: string }[]) {
  const hidden = count - targets.length
  return [...targets.map(({ name }) => name), ...(hidden > 0 ? [`另有${hidden}个无权查看或已删除的对象`] : [])].join(
    '、',
  )
}

/** Describes an item with all its values, so that every change of an item appears in the log. */
function itemText({ ms, weight, maxPlaysPerHour, from, to, transition }: StoredProgramItem, name: string) {
  const parts = [
    `${ms / 1000}秒`,
    weight === 1 ? '' : `权重${weight}`,
    maxPlaysPerHour === 0 ? '' : `每小时${maxPlaysPerHour}次`,
    from === null ? '' : `自${from}`,
    to === null ? '' : `至${to}`,
    transition === 0 ? '' : '淡入',
  ]
  return `${name}（${parts.filter(Boolean).join('，')}）`
}

const label = (words: Readonly<Record<number, string>>, code: number) => words[code] ?? code

function rethrowClash(error: unknown): never {
  throw toUniqueViolation(error, CLASHES) ?? error
}

/** Refuses a last date too far in the future. */
export function assertLastDate({ now, services }: Pick<Ctx, 'now' | 'services'>, dateTo: string): void {
  const latest = addDays(formatLocalDay(now, services.config.timeZone), MAX_PROGRAM_DAYS)
  if (dateTo > latest) throw invalid(`结束日期最晚为10年后的${latest}`, 'dateTo')
}

/**
 * Stores which ads a program uses: the ads of the edited content, of the version in force and of the version that waits
 * for approval. Call the function after every change of items or versions. A deleted program uses no ads.
 */
export async function refreshAdUses(db: Db, programId: number): Promise<void> {
  const used = sql`
    select distinct p.id as program_id, (item->>'adId')::int as ad_id, p.tenant_id
    from ad_programs p
    left join ad_program_versions v on v.program_id = p.id
      and (v.state = 1 or (v.ver_no = p.published_ver and p.status in (1, 2, 4)))
    cross join lateral jsonb_array_elements(p.items || coalesce(v.body->'items', '[]'::jsonb)) as item
    where p.id = ${programId} and p.deleted_at is null`
  await db.execute(sql`
    with used as materialized (${used}),
      gone as (delete from ad_uses u where u.program_id = ${programId}
        and not exists (select from used where used.ad_id = u.ad_id))
    insert into ad_uses (program_id, ad_id, tenant_id) select * from used on conflict do nothing`)
}
