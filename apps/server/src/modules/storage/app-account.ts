import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { AppAccountRow, appAccount } from '@oms/contract/storage/app-account.ts'
import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import { maskEmail, maskMobile } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { toUniqueViolation } from '#core/database/error-codes.ts'
import { buildSort, contains, paginate, within } from '#core/database/lists/list-query.ts'
import { updateColumns } from '#core/database/optimistic-lock.ts'
import { invalid, notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { appAccounts, tenants } from '#core/schema/tenant.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { resolveOwningTenant } from '#core/tenancy/tenant-state.ts'
import { saveCloudStates } from '#modules/device/device-save.ts'
import { deviceModels, devices } from '#modules/device/schema.ts'
import { saveQueues } from './queue-save.ts'
import { recordQueueChange, loadQueues } from './queue-store.ts'
import { advanceQueue, QUEUE_STATE, suspendItem } from './queue.ts'
import { ossQueues } from './schema.ts'
import { readStorageSettings } from './settings.ts'

const BIZ = 'appAccount'
const SUSPEND = 2
type Filters = Omit<ParsedOf<typeof appAccount.list>, 'pageNum' | 'pageSize'>
type NewApp = Omit<ParsedOf<typeof appAccount.create>, 'tenantId'>

export const APP_ACCOUNT_VIOLATIONS = {
  app_accounts_account: ['账号已存在', 'account'],
  app_accounts_mobile: ['手机号已被使用', 'mobileNo'],
} as const

const inScope = (user: User): SQL | undefined =>
  and(notDeleted(appAccounts), scoped(user, { tenant: appAccounts.tenantId, creator: appAccounts.createBy }))
const canSeeContacts = (user: User) => user.can('AccountAdministration:accountList:plain')
const told = ({ services, db }: Pick<Ctx, 'services' | 'db'>, tenantId: number) =>
  services.events.publish(db, 'changed', { resource: 'account', tenantId })

function conditionsOf(user: User, filters: Filters) {
  const { account, nickname, mobileNo, email, tenantId, region, registerSource, cloudState, status } = filters
  const plain = canSeeContacts(user)
  return and(
    inScope(user),
    contains(appAccounts.account, account),
    contains(appAccounts.nickname, nickname),
    // Without the permission for contact details, search requires the full number; otherwise numbers could be
    // guessed in parts.
    mobileNo && !plain ? eq(appAccounts.mobileNo, mobileNo) : contains(appAccounts.mobileNo, mobileNo),
    email && !plain ? eq(appAccounts.email, email) : contains(appAccounts.email, email),
    contains(appAccounts.region, region),
    tenantId === undefined ? undefined : eq(appAccounts.tenantId, tenantId),
    registerSource === undefined ? undefined : eq(appAccounts.registerSource, registerSource),
    cloudState === undefined ? undefined : eq(appAccounts.cloudState, cloudState),
    status === undefined ? undefined : eq(appAccounts.status, status),
    ...within(appAccounts.registerTime, filters.beginTime, filters.endTime),
    ...within(appAccounts.lastActiveTime, filters.activeBegin, filters.activeEnd),
  )
}

const orderFor = (filters: Filters) =>
  buildSort(
    filters,
    { registerTime: appAccounts.registerTime, lastActiveTime: appAccounts.lastActiveTime },
    appAccounts.uid,
  )

const selectApps = (db: Db) =>
  db
    .select({
      uid: appAccounts.uid,
      account: appAccounts.account,
      nickname: appAccounts.nickname,
      mobileNo: appAccounts.mobileNo,
      email: appAccounts.email,
      tenantId: appAccounts.tenantId,
      tenantName: sql<string>`coalesce(${tenants.name}, '')`,
      region: appAccounts.region,
      registerTime: appAccounts.registerTime,
      registerSource: appAccounts.registerSource,
      lastActiveTime: appAccounts.lastActiveTime,
      deviceCount: sql<number>`(select count(*)::int from devices d where d.app_account_id = ${appAccounts.uid} and d.deleted_at is null)`,
      cloudState: appAccounts.cloudState,
      status: appAccounts.status,
      remark: appAccounts.remark,
      rev: appAccounts.rev,
    })
    .from(appAccounts)
    .leftJoin(tenants, eq(tenants.id, appAccounts.tenantId))
    .$dynamic()

/**
 * Masks phone numbers and email addresses unless `plain` is true, also when the account name is such a number or
 * address.
 */
function presentAppAccounts<R extends { mobileNo: string | null; email: string | null; account: string }>(
  user: User,
  rows: readonly R[],
) {
  if (canSeeContacts(user)) return [...rows]
  return rows.map((row) => ({
    ...row,
    mobileNo: maskMobile(row.mobileNo),
    email: maskEmail(row.email),
    account: hidden(row.account),
  }))
}

const hidden = (account: string) =>
  (/^\+?\d{7,}$/.test(account) ? maskMobile(account) : account.includes('@') ? maskEmail(account) : account) ?? ''

export async function listAppAccounts(
  { db, user }: Ctx,
  { pageNum, pageSize, ...filters }: ParsedOf<typeof appAccount.list>,
) {
  const rows = selectApps(db).where(conditionsOf(user, filters))
  const page = await paginate(db, rows, { pageNum, pageSize }, orderFor(filters))
  return { ...page, list: presentAppAccounts(user, page.list) }
}

export async function getAppAccount({ db, user }: Ctx, { id }: ParsedOf<typeof appAccount.get>) {
  const [found] = presentAppAccounts(user, await selectApps(db).where(and(eq(appAccounts.uid, id), inScope(user))))
  if (!found) throw notFound('App账号')
  return found
}

async function lock({ db, user }: Ctx, id: number) {
  const [found] = await db
    .select()
    .from(appAccounts)
    .where(and(eq(appAccounts.uid, id), inScope(user)))
    .for('update')
  if (!found) throw notFound('App账号')
  return found
}

/** Lists the devices bound to one account, newest first. */
export async function listBoundDevices(
  { db, user }: Ctx,
  { id, pageNum, pageSize }: ParsedOf<typeof appAccount.devices>,
) {
  const [owner] = await db
    .select({ uid: appAccounts.uid })
    .from(appAccounts)
    .where(and(eq(appAccounts.uid, id), inScope(user)))
  if (!owner) throw notFound('App账号')
  const rows = db
    .select({
      id: devices.id,
      sn: devices.sn,
      devName: devices.devName,
      modelName: sql<string>`coalesce(${deviceModels.modelName}, '')`,
      online: devices.online,
      activateTime: devices.activateTime,
      lastOnlineTime: devices.lastOnlineTime,
      status: devices.status,
    })
    .from(devices)
    .leftJoin(deviceModels, eq(deviceModels.id, devices.modelId))
    .where(and(eq(devices.appAccountId, id), notDeleted(devices), scoped(user, { tenant: devices.tenantId })))
    .$dynamic()
  return paginate(db, rows, { pageNum, pageSize }, [desc(devices.id)])
}

const nullsFor = (input: NewApp) => ({
  ...input,
  mobileNo: input.mobileNo ?? null,
  email: input.email ?? null,
  lastActiveTime: input.lastActiveTime ?? null,
  ...(input.registerTime ? { registerTime: input.registerTime } : {}),
})

/**
 * Creates the account or returns the existing account with this name, because a back end may repeat a registration.
 */
export async function createAppAccount(ctx: Ctx, { tenantId: sent, ...input }: ParsedOf<typeof appAccount.create>) {
  const { db, user } = ctx
  const tenantId = (await resolveOwningTenant(ctx, sent, 'tenantId')).id
  const { registerTime, ...fields } = nullsFor(input)
  // Simultaneous registrations of one name run one after the other, so that only the first registration inserts.
  const name = `app account ${tenantId} ${input.account.toLowerCase()}`
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`)
  const [known] = await selectAppAccountByName(db, tenantId, input.account).for('update')
  if (known) return reportExisting(ctx, known.uid, input.account)
  const [made] = await db
    .insert(appAccounts)
    .values({ ...fields, ...(registerTime && { registerTime }), tenantId, createBy: user.uid, updateBy: user.uid })
    .returning({ uid: appAccounts.uid })
    .catch((error: unknown) => {
      throw toUniqueViolation(error, APP_ACCOUNT_VIOLATIONS) ?? error
    })
  const { uid } = made!
  ctx.audit({ bizType: BIZ, bizId: uid, action: `新增App账号「${hidden(input.account)}」` })
  await told(ctx, tenantId)
  return { uid, created: true }
}

function reportExisting(ctx: Ctx, uid: number, account: string) {
  ctx.audit({ bizType: BIZ, bizId: uid, action: `App账号「${hidden(account)}」已存在，未改动` })
  ctx.say('账号已存在')
  return { uid, created: false }
}

export const selectAppAccountByName = (db: Db, tenantId: number, account: string) =>
  db
    .select()
    .from(appAccounts)
    .where(
      and(
        eq(appAccounts.tenantId, tenantId),
        eq(sql`lower(${appAccounts.account})`, account.toLowerCase()),
        notDeleted(appAccounts),
      ),
    )

export const enableAppAccount = (ctx: Ctx, { id }: ParsedOf<typeof appAccount.enable>) => setStatus(ctx, id, 1)
export const disableAppAccount = (ctx: Ctx, { id }: ParsedOf<typeof appAccount.disable>) => setStatus(ctx, id, 0)

async function setStatus(ctx: Ctx, id: number, status: 0 | 1) {
  const { db, user, now } = ctx
  const stored = await lock(ctx, id)
  const word = status === 1 ? '启用' : '停用'
  ctx.audit({ bizType: BIZ, bizId: id, action: `${word}App账号「${hidden(stored.account)}」` })
  if (stored.status === status) return null
  await db
    .update(appAccounts)
    .set({ status, ...updateColumns(stored, user.uid, now) })
    .where(eq(appAccounts.uid, id))
  await told(ctx, stored.tenantId)
  return null
}

/** Binds a device to an account of the same tenant. Refuses a device bound to another account. */
export async function bindDevice(ctx: Ctx, { id, sn }: ParsedOf<typeof appAccount.bind>) {
  const { db, user, now } = ctx
  const owner = await lock(ctx, id)
  const [device] = await db
    .select({ id: devices.id, tenantId: devices.tenantId, appAccountId: devices.appAccountId, rev: devices.rev })
    .from(devices)
    .where(and(eq(devices.sn, sn), notDeleted(devices), scoped(user, { tenant: devices.tenantId })))
    .for('update')
  if (!device) throw invalid('设备不存在或已被删除', 'sn')
  if (device.tenantId !== owner.tenantId) throw invalid('设备与账号不属于同一客户', 'sn')
  if (device.appAccountId === id) throw invalid('设备已绑定该账号', 'sn')
  if (device.appAccountId !== null) throw invalid('设备已绑定其他账号，请先解绑', 'sn')
  await db
    .update(devices)
    .set({ appAccountId: id, ...updateColumns(device, user.uid, now) })
    .where(eq(devices.id, device.id))
  await saveCloudStates(db, [id], now.getTime() / 1000)
  ctx.audit({ bizType: BIZ, bizId: id, action: `App账号「${hidden(owner.account)}」绑定设备 ${sn}` })
  await told(ctx, owner.tenantId)
  return null
}

export async function unbindDevice(ctx: Ctx, { id, deviceId }: ParsedOf<typeof appAccount.unbind>) {
  const { db, user, now } = ctx
  const owner = await lock(ctx, id)
  const [device] = await db
    .select({ id: devices.id, sn: devices.sn, rev: devices.rev })
    .from(devices)
    .where(and(eq(devices.id, deviceId), eq(devices.appAccountId, id), scoped(user, { tenant: devices.tenantId })))
    .for('update')
  if (!device) throw notFound('绑定的设备')
  await db
    .update(devices)
    .set({ appAccountId: null, ...updateColumns(device, user.uid, now) })
    .where(eq(devices.id, device.id))
  const suspended = await suspendEntitlementsOfUnbound(ctx, device.id)
  await saveCloudStates(db, [id], now.getTime() / 1000)
  const storage = suspended > 0 ? `，暂停${suspended}个通道的云存储` : ''
  ctx.audit({ bizType: BIZ, bizId: id, action: `App账号「${hidden(owner.account)}」解绑设备 ${device.sn}${storage}` })
  await told(ctx, owner.tenantId)
  return null
}

export const exportAppAccounts = defineExport({
  kind: 'appAccount',
  endpoint: appAccount.export,
  sheet: 'App账号',
  schema: AppAccountRow,
  columns: [
    'uid',
    'account',
    'nickname',
    'mobileNo',
    'email',
    ['tenantName', { width: 30 }],
    'region',
    ['registerTime', { type: 'dateTime', width: 20 }],
    'registerSource',
    ['lastActiveTime', { type: 'dateTime', width: 20 }],
    ['deviceCount', { type: 'number' }],
    'cloudState',
    'status',
    'remark',
  ],
  key: appAccounts.uid,
  where: conditionsOf,
  order: orderFor,
  load: async (db, user, where) => presentAppAccounts(user, await selectApps(db).where(where)),
  keyOf: ({ uid }) => uid,
})

/**
 * Suspends the entitlements in force of a device that is unbound from its App account, when the setting `onUnbind` says
 * so. Returns the number of suspended channels.
 */
async function suspendEntitlementsOfUnbound({ db, user, now, services }: Ctx, deviceId: number): Promise<number> {
  const { onUnbind } = await readStorageSettings(db)
  if (onUnbind !== SUSPEND) return 0
  const keys = await db
    .select({ deviceId: ossQueues.deviceId, channel: ossQueues.channel, tenantId: ossQueues.tenantId })
    .from(ossQueues)
    .where(eq(ossQueues.deviceId, deviceId))
    .orderBy(sql`${ossQueues.channel}`)
  if (keys.length === 0) return 0
  const at = Math.floor(now.getTime() / 1000)
  const zone = services.config.timeZone
  const works = [...(await loadQueues(db, keys, true)).values()]
  let suspended = 0
  for (const work of works) {
    recordQueueChange(work, advanceQueue(work.queue, at, zone))
    const [current] = work.queue
    if (current?.state !== QUEUE_STATE.inForce) continue
    recordQueueChange(work, suspendItem(work.queue, current.id, at, zone))
    suspended += 1
  }
  const actor = { uid: user.uid, operName: user.realname || user.account, reason: '设备解绑自动暂停', now: at, zone }
  await saveQueues(db, works, actor)
  await services.events.publish(db, 'changed', { resource: 'oss', tenantId: null })
  return suspended
}
