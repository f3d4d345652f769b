import { StaffInput, staff } from '@oms/contract/account/staff.ts'
import { SUPER_ROLE_ID } from '#core/auth/rights.ts'
import { type Actor, createPlatformUser, runAsActor } from '#core/auth/system-actor.ts'
import type { Services } from '#core/services.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { insertStaff } from '#modules/account/new-account.ts'
import { accounts, roles } from '#core/schema/account.ts'
import { DEMO_ACCOUNT, STAFF } from './vendor.ts'

const FACTS = { ip: '10.8.0.21', userAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/142.0 Safari/537.36' }

interface Person {
  readonly account: string
  readonly realname: string
  readonly roleIds: number[]
  readonly tenantId: number
}

/** Creates an account with the password of the demo. */
export async function addPerson(
  services: Services,
  actor: Actor,
  { tenantId, ...person }: Person,
  passwordHash: string,
) {
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
