import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import type { tenant } from '@oms/contract/tenant.ts'
import { TenantInput } from '@oms/contract/tenant-info.ts'
import { and, asc, eq, or, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { accounts } from '#db/schema/account.ts'
import { devices } from '#db/schema/device.ts'
import { industries, tenants } from '#db/schema/tenant.ts'
import type { Ctx } from '#kernel/context.ts'
import { changePicture } from '#kernel/files/picture.ts'
import { assertPlatform } from '#kernel/grants.ts'
import { changes, maskEmail, maskMobile } from '#kernel/mask.ts'
import { oneTimePassword } from '#kernel/one-time.ts'
import { rightsChanged } from '#kernel/perm-version.ts'
import { invalid, refused } from '#kernel/problem.ts'
import { contains, paginate } from '#kernel/query.ts'
import { checkRevision, touched } from '#kernel/stale.ts'
import { alive, scoped, transact } from '#kernel/tenancy.ts'
import { uniqueClash } from '#kernel/unique.ts'
import { defaultScenes, openTenant, TENANT_ADMIN } from './open-tenant.ts'
import {
  conditionsOf,
  dressed,
  lockTenant,
  readTenant,
  selectTenants,
  type Tenant,
  tenantOrder,
} from './tenant-rows.ts'
import { scenesOf, setScenes, widenAdmins } from './tenant-scenes.ts'
import { forLog, TENANT_TITLES } from './tenant-words.ts'

const OFFERED = 50
const LOGO = { field: 'logo', title: '客户标志' } as const

export async function list({ db, user, kernel }: Ctx, { pageNum, pageSize, ...filters }: ParsedOf<typeof tenant.list>) {
  const rows = selectTenants(db).where(conditionsOf(user, filters))
  const page = await paginate(db, rows, { pageNum, pageSize }, tenantOrder(filters))
  return { ...page, list: await dressed(db, user, page.list, kernel.database.db) }
}

/** Tenants by name for pickers; the platform is one of them for those who see it. */
export async function simple({ db, user }: Ctx, { name }: ParsedOf<typeof tenant.simple>) {
  const list = await db
    .select({ id: tenants.id, name: tenants.name, tenantNo: tenants.tenantNo, status: tenants.status })
    .from(tenants)
    .where(
      and(
        alive(tenants),
        scoped(user, { tenant: tenants.id }),
        or(contains(tenants.name, name), contains(tenants.tenantNo, name)),
      ),
    )
    .orderBy(asc(tenants.id))
    .limit(OFFERED)
  return { list }
}

export const get = (ctx: Ctx, { id }: ParsedOf<typeof tenant.get>) => readTenant(ctx, id)

/** Outside the call's own transaction, whose answer would be kept for repeats: a one-time password is kept nowhere. */
export async function create(ctx: Ctx, input: ParsedOf<typeof tenant.create>) {
  assertPlatform(ctx.user)
  const { adminAccount, adminName, adminMobile, adminEmail, ...fields } = input
  demandOrder(fields)
  const { password, passwordHash } = await oneTimePassword()
  return transact(ctx, async (db) => {
    const inner = { ...ctx, db }
    await demandIndustry(db, fields.industryId)
    demandSceneRight(ctx.user, fields.sceneIds, await defaultScenes(db))
    await changePicture(inner, { ...LOGO, before: '', after: fields.logo })
    const admin = {
      realname: adminName,
      ...(adminAccount && { account: adminAccount }),
      ...(adminMobile && { mobileNo: adminMobile }),
      ...(adminEmail && { email: adminEmail }),
    }
    const made = await openTenant(inner, stored(fields), admin, passwordHash).catch(inAdminFields)
    await kernelTold(inner)
    return { id: made.id, tenantNo: made.tenantNo, account: made.account, password }
  })
}

const ADMIN_FIELD: Readonly<Record<string, string>> = {
  account: 'adminAccount',
  realname: 'adminName',
  mobileNo: 'adminMobile',
  email: 'adminEmail',
}

/** The administrator's account is one part of a larger form: its refusals belong to that form's fields. */
function inAdminFields(error: unknown): never {
  const { message, data } = (error ?? {}) as { message?: string; data?: { field?: string } }
  const field = data?.field && ADMIN_FIELD[data.field]
  throw field ? invalid(message ?? '', field) : error
}

const kernelTold = ({ kernel, db }: Ctx) => kernel.events.publish(db, 'changed', { resource: 'tenant', tenantId: null })

type Fields = Omit<ParsedOf<typeof tenant.update>, 'id' | 'rev'>

const stored = <F extends Partial<Fields>>({ companySize, beginTime, contactEmail, ...rest }: F) => ({
  ...rest,
  companySize: companySize ?? null,
  beginTime: beginTime ?? null,
  contactEmail: contactEmail ?? '',
})

function demandOrder({
  beginTime,
  expireTime,
}: {
  beginTime?: string | undefined
  expireTime?: string | null | undefined
}) {
  if (beginTime && expireTime && expireTime <= beginTime) throw invalid('到期时间应晚于开始时间', 'expireTime')
}

/** Scenes are what a customer may do. Who may not choose them gives the standard ones to a new one, and changes none. */
function demandSceneRight(user: Ctx['user'], wanted: readonly number[], allowed: readonly number[]) {
  if (user.can('tenantManage:tenant:scene')) return
  const given = new Set(wanted)
  if (given.size !== allowed.length || allowed.some((id) => !given.has(id)))
    throw refused('您没有分配业务场景的权限', { field: 'sceneIds' })
}

/** An industry in use; one a customer has already may be switched off by now. */
async function demandIndustry(db: Db, id: number, before?: number | null) {
  const [found] = await db
    .select({ status: industries.status })
    .from(industries)
    .where(and(eq(industries.id, id), alive(industries)))
    .for('share')
  if (!found) throw invalid('所选行业不存在或已被删除', 'industryId')
  if (found.status !== 1 && id !== before) throw invalid('所选行业已停用', 'industryId')
}

export async function update(ctx: Ctx, { id, rev, sceneIds, ...input }: ParsedOf<typeof tenant.update>) {
  const { db, user, now, kernel } = ctx
  assertPlatform(user)
  const before = await lockTenant(ctx, id)
  await checkRevision(db, before, rev)
  demandOrder({ beginTime: input.beginTime, expireTime: before.expireTime })
  await demandIndustry(db, input.industryId, before.industryId)
  await demandQuotas(db, before, input)
  await changePicture(ctx, { ...LOGO, before: before.logo, after: input.logo })
  const next = { ...stored(input), ...contactsOf(before, input) }
  await db
    .update(tenants)
    .set({ ...next, ...touched(before, user.uid, now) })
    .where(eq(tenants.id, id))
    .catch((error: unknown) => {
      throw uniqueClash(error, { tenants_name: ['客户名称已存在', 'name'] }) ?? error
    })
  const had = (await scenesOf(db, [id])).get(id) ?? []
  demandSceneRight(
    user,
    sceneIds,
    had.map((scene) => scene.id),
  )
  const hadScenes = had.map(({ name }) => name)
  const scenes = await setScenes(db, id, sceneIds)
  if (hadScenes.join() !== scenes.join()) {
    await widenAdmins(db, id, TENANT_ADMIN)
    await rightsChanged(kernel, db)
  }
  const names = await industryNames(db, [before.industryId, input.industryId])
  const diff = changes(
    forLog({ ...before, scenes: hadScenes, industry: names.get(before.industryId ?? 0) ?? '' }),
    forLog({ ...next, scenes, industry: names.get(input.industryId) ?? '' }),
    TENANT_TITLES,
  )
  ctx.audit({ bizType: 'tenant', bizId: id, action: `修改客户「${before.name}」`, diff })
  await kernelTold(ctx)
  return { rev: before.rev + 1 }
}

/** What the form was shown masked comes back masked and means no change. */
function contactsOf(before: Tenant, input: Pick<Fields, 'contactPhone' | 'contactEmail'>) {
  const { contactPhone, contactEmail = '' } = input
  const keep = (sent: string, was: string, mask: string | null) => sent === was || (was !== '' && sent === mask)
  const checked = (field: 'contactPhone' | 'contactEmail', sent: string) => {
    const { data, error } = TenantInput.shape[field].safeParse(sent)
    if (error) throw invalid(error.issues[0]?.message ?? '格式不正确', field)
    return data ?? ''
  }
  return {
    contactPhone: keep(contactPhone, before.contactPhone, maskMobile(before.contactPhone))
      ? before.contactPhone
      : checked('contactPhone', contactPhone),
    contactEmail: keep(contactEmail, before.contactEmail, maskEmail(before.contactEmail))
      ? before.contactEmail
      : checked('contactEmail', contactEmail),
  }
}

/** A limit below what is already there would be no limit. */
async function demandQuotas(
  db: Db,
  { id }: Tenant,
  { accountCount, deviceQuota }: Pick<Fields, 'accountCount' | 'deviceQuota'>,
) {
  if (accountCount >= 0) {
    const used = await db.$count(accounts, and(eq(accounts.tenantId, id), alive(accounts)))
    if (used > accountCount) throw invalid(`已有${used}个账号，上限不能小于已有数量`, 'accountCount')
  }
  if (deviceQuota >= 0) {
    const used = await db.$count(devices, and(eq(devices.tenantId, id), alive(devices)))
    if (used > deviceQuota) throw invalid(`已有${used}台设备，上限不能小于已有数量`, 'deviceQuota')
  }
}

async function industryNames(db: Db, ids: readonly (number | null)[]) {
  const rows = await db
    .select({ id: industries.id, name: industries.name })
    .from(industries)
    .where(sql`${industries.id} = any(${sql.param(ids.filter((id) => id !== null))}::int[])`)
  return new Map(rows.map(({ id, name }) => [id, name]))
}
