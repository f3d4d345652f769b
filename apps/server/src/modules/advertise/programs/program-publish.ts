import { OWN_PROGRAM_MESSAGE, type programPublish as calls } from '@oms/contract/advertise/program-publish.ts'
import {
  PROGRAM_STATUS,
  PROGRAM_VERSION_STATE,
  MAX_SCREENS_WITHOUT_SECOND_PERSON,
} from '@oms/contract/advertise/program-words.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq } from 'drizzle-orm'
import type { Config } from '#core/config/config.ts'
import type { Db } from '#core/database/client.ts'
import { updateColumns } from '#core/database/optimistic-lock.ts'
import { conflict, invalid, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import { formatLocalDay } from '#core/time/zone.ts'
import { listAccountsForRecord } from '#modules/account/index.ts'
import { sendMessage } from '#modules/system/index.ts'
import { visibleDevices } from '#modules/device/device-filter.ts'
import { devices } from '#modules/device/schema.ts'
import { publishAdvertisingChange } from '../content.ts'
import { adPrograms, adProgramVersions, type StoredProgramItem } from '../schema.ts'
import { isTargetBeyondScope, listTenantsOfProgram } from '../scope.ts'
import { assertNoConflicts } from './program-conflict.ts'
import { requireApprovedItems } from './program-items.ts'
import { createNotWaitingError } from './program-review.ts'
import { refreshAdUses, assertLastDate, PROGRAM_BIZ_TYPE, lockProgram } from './program-save.ts'
import {
  HAS_SCREEN_CONDITION,
  type ProgramTarget,
  assertTargetsInScope,
  checkTargets,
  hasTargets,
  buildTargetCondition,
  countTargetScreens,
} from './program-targets.ts'
import {
  toProgramBody,
  readProgramContent,
  isSameContent,
  readFileMs,
  readProgram,
  type StoredProgram,
} from './program.ts'

const AUDIT = 'advertiseManage:ProgramList:audit'
const PAGE = '/advertiseManage/ProgramList'

/** Content to publish: the edited content, or the content of an older version. */
interface Publication {
  readonly content: StoredProgram
  /** Number of screens that the caller confirmed for a takeover. */
  readonly confirmed: number | undefined
  readonly action: string
  /** Keeps the version in force when it has the same content. */
  readonly onlyChanges?: boolean
}

export async function publishProgramVersion(ctx: Ctx, { id, verNo, screens }: ParsedOf<typeof calls.publish>) {
  const program = await lockProgram(ctx, id)
  if (verNo !== undefined && verNo !== program.verNo) throw conflict('节目单已发布新的版本，请刷新后重试')
  return publishContent(ctx, program, {
    content: program,
    confirmed: screens,
    onlyChanges: true,
    action: `发布节目单「${program.programName}」`,
  })
}

/**
 * Publishes the content of an older version under a new number. The edited content stays, so it must reach only tenants
 * of the caller's data scope too: otherwise the caller could not withdraw the program.
 */
export async function republishProgram(ctx: Ctx, { id, verNo, screens }: ParsedOf<typeof calls.republish>) {
  const program = await lockProgram(ctx, id)
  if (await isTargetBeyondScope(ctx.db, ctx.user, program))
    throw refused('编辑中的内容投放到您数据范围之外的客户，请先修改投放对象')
  const content = await readProgramContent(ctx.db, program, verNo)
  const action = `重新发布节目单「${program.programName}」的版本 ${verNo}`
  return publishContent(ctx, program, { content, confirmed: screens, action })
}

async function publishContent(
  ctx: Ctx,
  program: StoredProgram,
  { content, confirmed, action, onlyChanges = false }: Publication,
) {
  const { db, user, now, services } = ctx
  const { id, tenantId } = program
  const { waitingVer, newest } = await readProgram(ctx, id)
  if (waitingVer > 0) throw conflict('节目单正在等待审批，请先撤回')
  const items = await requireApprovedItems(ctx, content.items)
  const isInForce = program.status === PROGRAM_STATUS.delivering && program.publishedVer === newest?.verNo
  const fileMs = await readFileMs(db, [program])
  if (onlyChanges && newest && isInForce && isSameContent({ ...program, items }, newest, fileMs)) {
    const { status, verNo, rev } = program
    return { status, verNo, rev, isWaiting: false, screens: newest.screens }
  }
  await assertPublishable(ctx, { ...content, items })
  const screens = await assertScreens(ctx, content, confirmed)
  const isWaiting = needsSecondPerson(services.config, content, screens)
  const verNo = program.verNo + 1
  await insertVersion(ctx, { ...content, items }, { verNo, screens, isWaiting })
  if (!isWaiting) await replaceVersionInForce(db, id, verNo)
  const isFirst = program.publishedVer === 0
  const status = isWaiting ? (isFirst ? PROGRAM_STATUS.waiting : program.status) : PROGRAM_STATUS.delivering
  const change = { status, verNo, ...(!isWaiting && { publishedVer: verNo }), ...updateColumns(program, user.uid, now) }
  await db.update(adPrograms).set(change).where(eq(adPrograms.id, id))
  await refreshAdUses(db, id)
  ctx.audit({
    bizType: PROGRAM_BIZ_TYPE,
    bizId: id,
    action: `${action}，版本 ${verNo}，${screens} 块屏幕${isWaiting ? '，提交审批' : ''}`,
  })
  if (isWaiting) {
    ctx.say('已提交，等待另一人审批')
    await requestApproval(ctx, program, verNo)
  }
  await publishAdvertisingChange(ctx, tenantId)
  return { status, verNo, rev: change.rev, isWaiting, screens }
}

interface Numbered {
  readonly verNo: number
  readonly screens: number
  readonly isWaiting: boolean
}

/** Writes the immutable version. */
async function insertVersion({ db, user, now }: Ctx, content: StoredProgram, { verNo, screens, isWaiting }: Numbered) {
  const { id, tenantId, targetType, targetIds, resolution } = content
  await db.insert(adProgramVersions).values({
    programId: id,
    verNo,
    tenantId,
    body: toProgramBody(content, { verNo, publishedAt: now.getTime() }),
    targetType,
    targetIds,
    resolution,
    state: isWaiting ? PROGRAM_VERSION_STATE.waiting : PROGRAM_VERSION_STATE.inForce,
    screens,
    publishBy: user.uid,
    publishTime: now.toISOString(),
  })
}

/** Refuses content without ads, content whose dates are over, and targets outside the caller's data scope. */
async function assertPublishable(ctx: Ctx, content: StoredProgram & { items: StoredProgramItem[] }) {
  const problems = new FieldProblems()
  if (content.items.length === 0) problems.add('items', '请至少添加一条广告')
  const today = formatLocalDay(ctx.now, ctx.services.config.timeZone)
  if (content.dateTo < today) problems.add('dateTo', '投放日期已结束，请修改结束日期')
  await problems.collect(() => assertLastDate(ctx, content.dateTo))
  if (!hasTargets(content)) problems.add('targetIds', '请先选择投放对象')
  await problems.collect(() =>
    content.isDefault === 0 ? checkTargets(ctx, content) : assertDefaultScope(ctx, content),
  )
  problems.throwIfAny()
  await assertNoConflicts(ctx, content)
}

/** Refuses a default program, which reaches all screens of its tenant, when some are outside the caller's data scope. */
async function assertDefaultScope({ db, user }: Ctx, content: StoredProgram & ProgramTarget) {
  await assertTargetsInScope({ db, user }, content)
  const isTarget = await buildTargetCondition(db, content)
  const [all, visible] = [isTarget, and(isTarget, visibleDevices(user))]
  if (
    (await db.$count(devices, and(all, HAS_SCREEN_CONDITION))) >
    (await db.$count(devices, and(visible, HAS_SCREEN_CONDITION)))
  )
    throw invalid('默认节目单会投放到您数据范围以外的屏幕', 'isDefault')
}

/** Counts the screens. A takeover is refused unless the caller confirmed this number of screens. */
async function assertScreens(ctx: Ctx, content: StoredProgram & ProgramTarget, confirmed: number | undefined) {
  const screens = await countTargetScreens(ctx.db, content)
  if (screens === 0) throw refused('没有符合条件的屏幕')
  if (content.insertMode > 0 && confirmed !== screens)
    throw invalid(`插播将打断 ${screens.toLocaleString('en')} 块屏幕正在播放的内容，请输入屏幕数量确认`, 'screens')
  return screens
}

/** Removes the program from the manifests until `resume`. */
export async function pauseProgram(ctx: Ctx, { id }: ParsedOf<typeof calls.pause>) {
  const program = await lockProgram(ctx, id)
  if (program.status !== PROGRAM_STATUS.delivering) throw refused('节目单不在投放中，不能暂停')
  return move(ctx, program, { status: PROGRAM_STATUS.paused }, `暂停节目单「${program.programName}」`)
}

export async function resumeProgram(ctx: Ctx, { id }: ParsedOf<typeof calls.resume>) {
  const program = await lockProgram(ctx, id)
  if (program.status !== PROGRAM_STATUS.paused) throw refused('节目单没有暂停')
  await assertNoConflicts(ctx, await readProgramContent(ctx.db, program, program.publishedVer))
  return move(
    ctx,
    program,
    { status: PROGRAM_STATUS.delivering, deliveredVer: 0 },
    `恢复节目单「${program.programName}」`,
  )
}

/** Withdraws the version that waits for approval, otherwise the version in force. */
export async function withdrawProgram(ctx: Ctx, { id }: ParsedOf<typeof calls.withdraw>) {
  const { db } = ctx
  const program = await lockProgram(ctx, id)
  const { waitingVer } = await readProgram(ctx, id)
  const name = `节目单「${program.programName}」`
  if (waitingVer > 0) {
    await updateProgramVersion(db, { programId: id, verNo: waitingVer }, { state: PROGRAM_VERSION_STATE.withdrawn })
    const status = program.publishedVer === 0 ? PROGRAM_STATUS.draft : program.status
    return move(ctx, program, { status }, `撤回${name}待审批的版本 ${waitingVer}`)
  }
  if (program.publishedVer === 0) throw refused('节目单没有发布')
  await replaceVersionInForce(db, id, 0)
  return move(ctx, program, { status: PROGRAM_STATUS.ended, publishedVer: 0 }, `撤回${name}`)
}

export async function reviewProgram(ctx: Ctx, { id, verNo, auditStatus, remark }: ParsedOf<typeof calls.audit>) {
  const { db, user, now } = ctx
  const program = await lockProgram(ctx, id)
  const version = await lockWaitingVersion(db, { programId: id, verNo })
  if (!version) throw await createNotWaitingError(ctx, id, verNo)
  if (version.publishBy === user.uid) throw refused(OWN_PROGRAM_MESSAGE)
  const isApproved = auditStatus === 2
  const name = `节目单「${program.programName}」的版本 ${verNo}`
  const judged = { auditBy: user.uid, auditTime: now.toISOString(), auditRemark: remark }
  notifySubmitter(ctx, program, { verNo, submitBy: version.publishBy, isApproved, remark })
  if (!isApproved) {
    await updateProgramVersion(db, version, { ...judged, state: PROGRAM_VERSION_STATE.rejected })
    const status = program.publishedVer === 0 ? PROGRAM_STATUS.draft : program.status
    return move(ctx, program, { status }, `驳回${name}：${remark}`)
  }
  const today = formatLocalDay(now, ctx.services.config.timeZone)
  if (version.body.dateTo < today) throw refused('投放日期已结束，不能通过')
  // Other programs and ads may have changed since the version was submitted.
  await assertNoConflicts(ctx, await readProgramContent(db, program, verNo))
  // The approval sets the instant of publishing, by which takeovers of equal priority are ranked.
  const body = { ...version.body, publishedAt: now.getTime() }
  await updateProgramVersion(db, version, { ...judged, body })
  await replaceVersionInForce(db, id, verNo)
  return move(
    ctx,
    program,
    { status: PROGRAM_STATUS.delivering, publishedVer: verNo },
    `通过${name}${remark && `：${remark}`}`,
  )
}

async function move(
  ctx: Ctx,
  program: StoredProgram,
  change: Partial<Pick<StoredProgram, 'status' | 'publishedVer' | 'deliveredVer'>>,
  action: string,
) {
  const { db, user, now } = ctx
  const next = { status: program.status, ...change, ...updateColumns(program, user.uid, now) }
  await db.update(adPrograms).set(next).where(eq(adPrograms.id, program.id))
  await refreshAdUses(db, program.id)
  ctx.audit({ bizType: PROGRAM_BIZ_TYPE, bizId: program.id, action })
  await publishAdvertisingChange(ctx, program.tenantId)
  return { status: next.status, verNo: program.verNo, rev: next.rev }
}

type StoredVersion = typeof adProgramVersions.$inferSelect
type Key = Pick<StoredVersion, 'programId' | 'verNo'>

const isVersion = ({ programId, verNo }: Key) =>
  and(eq(adProgramVersions.programId, programId), eq(adProgramVersions.verNo, verNo))

const updateProgramVersion = (db: Db, key: Key, change: Partial<StoredVersion>) =>
  db.update(adProgramVersions).set(change).where(isVersion(key))

/** Returns the version, locked, while the version waits for approval. */
async function lockWaitingVersion(db: Db, key: Key): Promise<StoredVersion | undefined> {
  const [found] = await db
    .select()
    .from(adProgramVersions)
    .where(and(isVersion(key), eq(adProgramVersions.state, PROGRAM_VERSION_STATE.waiting)))
    .for('update')
  return found
}

/** Puts a version in force and ends the former one. With `verNo` 0, only ends the version in force. */
export async function replaceVersionInForce(db: Db, programId: number, verNo: number): Promise<void> {
  await db
    .update(adProgramVersions)
    .set({ state: PROGRAM_VERSION_STATE.replaced })
    .where(and(eq(adProgramVersions.programId, programId), eq(adProgramVersions.state, PROGRAM_VERSION_STATE.inForce)))
  if (verNo > 0) await updateProgramVersion(db, { programId, verNo }, { state: PROGRAM_VERSION_STATE.inForce })
}

/** Returns the accounts that may approve a version of the program, without its submitter. */
export async function listOtherApprovers(db: Db, { id, tenantId, createBy }: StoredProgram, submitter: number) {
  const reached = await listTenantsOfProgram(db, id)
  const staff = await listAccountsForRecord(db, AUDIT, { tenantId, createBy, reached })
  return staff.filter((uid) => uid !== submitter)
}

/** Notifies the accounts that may approve a version, without the submitter. */
async function requestApproval(ctx: Ctx, program: StoredProgram, verNo: number) {
  const { services, user } = ctx
  const { programName } = program
  // The message belongs to the platform, so it is written outside the transaction with row-level security.
  ctx.afterCommit(async () => {
    const { db } = services.database
    await sendMessage(services, db, {
      topic: 'ad',
      title: `节目单待审批：${programName}`,
      text: `${user.realname} 提交了节目单「${programName}」的版本 ${verNo}，请在“广告管理 / 节目单”中审批。`,
      link: { path: `${PAGE}?todo=1`, text: '查看待我审批的节目单' },
      uids: await listOtherApprovers(db, program, user.uid),
    })
  })
}

interface Decision {
  readonly verNo: number
  readonly submitBy: number
  readonly isApproved: boolean
  readonly remark: string
}

/** Notifies the submitter of a version of the decision after the commit. A refused decision sends no message. */
function notifySubmitter(ctx: Ctx, { programName }: StoredProgram, { verNo, submitBy, isApproved, remark }: Decision) {
  const { services } = ctx
  const name = `节目单「${programName}」的版本 ${verNo} `
  const opinion = remark && `审批意见：${remark}`
  ctx.afterCommit(() =>
    sendMessage(services, services.database.db, {
      topic: 'ad',
      title: `节目单已${isApproved ? '通过审批' : '驳回'}：${programName}`,
      text: isApproved ? `${name}已通过审批，正在发布到屏幕。${opinion}` : `${name}被驳回：${remark}`,
      link: { path: `${PAGE}?${new URLSearchParams({ programName })}`, text: '查看节目单' },
      uids: [submitBy],
      priority: isApproved ? 2 : 3,
    }),
  )
}

/** Returns true when another account must approve: takeovers, many screens, or always by setting. */
export function needsSecondPerson(
  { adTwoPerson }: Pick<Config, 'adTwoPerson'>,
  { insertMode }: { readonly insertMode: number },
  screens: number,
): boolean {
  if (adTwoPerson !== 'auto') return adTwoPerson === 'on'
  return insertMode > 0 || screens > MAX_SCREENS_WITHOUT_SECOND_PERSON
}
