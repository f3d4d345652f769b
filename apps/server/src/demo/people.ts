import { RoleInput, role } from '@oms/contract/account/role.ts'
import { SceneInput, scene } from '@oms/contract/tenant/scene.ts'
import { StaffInput, staff } from '@oms/contract/account/staff.ts'
import { eq, inArray, like, or, sql } from 'drizzle-orm'
import { accounts, roles } from '#core/schema/account.ts'
import { menus } from '#core/schema/system.ts'
import { scenes, tenants } from '#core/schema/tenant.ts'
import type { Services } from '#core/services.ts'
import { SUPER_ROLE_ID } from '#core/auth/rights.ts'
import { formatLocalTime } from '#core/time/zone.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { insertStaff } from '#modules/account/new-account.ts'
import { setRolePermissions } from '#modules/account/role-member.ts'
import { createRole } from '#modules/account/role.ts'
import { createScene } from '#modules/tenant/scene.ts'
import { createTenantWithAdmin } from '#modules/tenant/open-tenant.ts'
import { type Actor, runAsActor, createPlatformUser } from '#core/auth/system-actor.ts'
import { CUSTOMER_PEOPLE, DEMO_TENANTS, DEMO_ACCOUNT, DISABLED_CUSTOMER, DEMO_SCENES, STAFF } from './vendor.ts'

const FACTS = { ip: '10.8.0.21', userAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/142.0 Safari/537.36' }
const DAY_MS = 24 * 60 * 60 * 1000
const KEPT_CUSTOMERS = 5

interface Person {
  readonly account: string
  readonly realname: string
  readonly roleIds: number[]
  readonly tenantId: number
}

async function addPerson(services: Services, actor: Actor, { tenantId, ...person }: Person, passwordHash: string) {
  const input = StaffInput.parse({ ...person, remark: '' })
  const here: Actor = { ...actor, user: { ...actor.user, tenantId } }
  return runAsActor(services, here, { name: 'create', ...staff.create, input }, async (ctx) => {
    const uid = await insertStaff(ctx, input, passwordHash)
    ctx.audit({ bizType: 'account', bizId: uid, action: `新增用户「${person.realname}（${person.account}）」` })
    return uid
  })
}

/** Creates the vendor's accounts and returns the demo account, the creator of all other demo data. */
export async function seedDemoStaff(services: Services, passwordHash: string): Promise<Actor> {
  const { db } = services.database
  const found = await db.select({ id: roles.id, code: roles.roleCode }).from(roles)
  const idOf = new Map(found.map(({ id, code }) => [code, id]))
  const setup: Actor = { user: createPlatformUser({ account: 'admin', realname: '系统管理员', uid: 1 }), facts: FACTS }
  const self = { account: DEMO_ACCOUNT, realname: '演示管理员', roleIds: [SUPER_ROLE_ID], tenantId: PLATFORM_TENANT_ID }
  const uid = await addPerson(services, setup, self, passwordHash)
  const demo: Actor = { user: createPlatformUser({ uid, account: DEMO_ACCOUNT, realname: '演示管理员' }), facts: FACTS }
  for (const [account, realname, codes] of STAFF) {
    const roleIds = codes.flatMap((code) => idOf.get(code) ?? [])
    await addPerson(services, demo, { account, realname, roleIds, tenantId: PLATFORM_TENANT_ID }, passwordHash)
  }
  await db.update(accounts).set({ pwdMustChange: false })
  return demo
}

const matching = (grant: string) =>
  grant.endsWith(':*') ? like(menus.perms, `${grant.slice(0, -1)}%`) : eq(menus.perms, grant)

async function menusOf({ database: { db } }: Services, grants: readonly string[]) {
  const rows = await db
    .select({ id: menus.id })
    .from(menus)
    .where(or(...grants.map(matching)))
  return rows.map(({ id }) => id)
}

export async function seedDemoScenes(services: Services, demo: Actor) {
  for (const [sceneName, sceneCode, isDefault, grants] of DEMO_SCENES) {
    const menuIds = await menusOf(services, grants)
    const input = SceneInput.parse({
      sceneName,
      sceneCode,
      isDefault,
      description: `${sceneName}相关的页面与按钮`,
      menuIds,
    })
    await runAsActor(services, demo, { name: 'create', ...scene.create, input }, (ctx) => createScene(ctx, input))
  }
}

/** Creates tenants with their administrators, an engineer role and a few accounts each. */
export async function seedDemoCustomers(services: Services, demo: Actor, passwordHash: string) {
  for (const [place, customer] of DEMO_TENANTS.entries())
    await addCustomer(services, demo, { place, customer, passwordHash })
  const { db } = services.database
  await db.update(accounts).set({ pwdMustChange: false }).where(sql`${accounts.uid} % 4 <> 0`)
  await db.update(tenants).set({ status: 0 }).where(eq(tenants.name, DISABLED_CUSTOMER))
  // Tenants in the data scope of the customer manager.
  const kept = DEMO_TENANTS.slice(0, KEPT_CUSTOMERS).map(([name]) => name)
  const found = await db.select({ id: tenants.id }).from(tenants).where(inArray(tenants.name, kept))
  await db
    .update(roles)
    .set({ scopeIds: found.map(({ id }) => id) })
    .where(eq(roles.roleCode, 'customer_manager'))
}

interface NewCustomer {
  readonly place: number
  readonly customer: (typeof DEMO_TENANTS)[number]
  readonly passwordHash: string
}

async function addCustomer(services: Services, demo: Actor, { place, customer, passwordHash }: NewCustomer) {
  const [name, shortName, contactName, contactPhone, level, days, more] = customer
  const tenant = {
    name,
    shortName,
    contactName,
    contactPhone,
    level,
    companySize: 1 + (place % 4),
    accountCount: level === 3 ? -1 : level * 10,
    deviceQuota: level * 1000,
    sceneIds: await sceneIdsOf(services, more),
    beginTime: dayFromNow(services, -400),
    // An expired tenant receives no accounts, so the date of expiry follows after them.
    expireTime: days > 0 ? dayFromNow(services, days) : null,
  }
  const prefix = `kh${String(place + 1).padStart(2, '0')}`
  const what = { name: 'create', method: 'POST', path: '/api/v1/tenant', title: '新增客户', input: { name } } as const
  const { id } = await runAsActor(services, demo, what, (ctx) =>
    createTenantWithAdmin(ctx, tenant, { account: `${prefix}_admin`, realname: contactName }, passwordHash),
  )
  const roleId = await engineerRole(services, demo, id)
  for (const [at, realname] of CUSTOMER_PEOPLE.slice(0, level * 2).entries())
    await addPerson(
      services,
      demo,
      { account: `${prefix}_${at + 1}`, realname, roleIds: [roleId], tenantId: id },
      passwordHash,
    )
  await services.database.db
    .update(tenants)
    .set({ expireTime: dayFromNow(services, days) })
    .where(eq(tenants.id, id))
}

const dayFromNow = (services: Services, days: number) =>
  formatLocalTime(services.now().getTime() + days * DAY_MS, services.config.timeZone)

/** Returns the default scenes and those with these codes. The first administrator receives the menus of all of them. */
async function sceneIdsOf({ database: { db } }: Services, codes: readonly string[]) {
  const found = await db
    .select({ id: scenes.id })
    .from(scenes)
    .where(or(eq(scenes.isDefault, 1), inArray(scenes.sceneCode, [...codes])))
  return found.map(({ id }) => id)
}

async function engineerRole(services: Services, demo: Actor, tenantId: number) {
  const input = { ...RoleInput.parse({ roleName: '设备管理员', roleCode: 'device_admin', roleSort: 20 }), tenantId }
  const { id } = await runAsActor(services, demo, { name: 'create', ...role.create, input }, (ctx) =>
    createRole(ctx, input),
  )
  const menuIds = await menusOf(services, ['upgrade:ota:list', 'upgrade:ota:query', 'system:manager:list'])
  const grant = { roleId: id, menuIds, rev: 0 }
  await runAsActor(services, demo, { name: 'permission', ...role.permission, input: grant }, (ctx) =>
    setRolePermissions(ctx, grant),
  )
  return id
}
