import { and, eq, isNull } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { updateMenuStatus } from '#core/auth/menus.ts'
import { loadRights } from '#core/auth/rights.ts'
import { accountRoles, accounts, roleMenus, roles } from '#core/schema/account.ts'
import { menus } from '#core/schema/system.ts'
import { sceneMenus, scenes, tenantScenes, tenants } from '#core/schema/tenant.ts'
import { type Caller, useApp } from '#test/harness.ts'

/** Model of the permissions of one tenant's account, small enough to verify by reading. */
interface Model {
  /** For each role: its permissions, whether assigned, whether enabled. */
  grants: Set<string>[]
  held: boolean[]
  roleOn: boolean[]
  offered: Set<string>
  sceneOn: boolean
  menuOff: Set<string>
  accountOn: boolean
}
type Step =
  | { do: 'grant'; role: number; perms: number[] }
  | { do: 'hold' | 'drop' | 'roleOn' | 'roleOff'; role: number }
  | { do: 'offer'; perms: number[] }
  | { do: 'sceneOn' | 'sceneOff' | 'accountOn' | 'accountOff' }
  | { do: 'menuOn' | 'menuOff'; perm: number }

const PERMS = [
  'system:operLog:list',
  'system:operLog:export',
  'system:loginLog:list',
  'system:manager:list',
  'system:rolemanagement:list',
] as const
const ROLES = 2

const roleIndex = fc.nat(ROLES - 1)
const some = fc.uniqueArray(fc.nat(PERMS.length - 1))
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('grant' as const), role: roleIndex, perms: some }),
  fc.record({
    do: fc.constantFrom('hold' as const, 'drop' as const, 'roleOn' as const, 'roleOff' as const),
    role: roleIndex,
  }),
  fc.record({ do: fc.constant('offer' as const), perms: some }),
  fc.record({
    do: fc.constantFrom('sceneOn' as const, 'sceneOff' as const, 'accountOn' as const, 'accountOff' as const),
  }),
  fc.record({ do: fc.constantFrom('menuOn' as const, 'menuOff' as const), perm: fc.nat(PERMS.length - 1) }),
)

const app = useApp()
let admin: Caller
let uid = 0
let roleIds: number[] = []
let sceneId = 0
const menuIds = new Map<string, number>()

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
  const person = await app.by({ tenant: '模型公司' })
  uid = person.uid
  const [tenant] = await app.db.select().from(tenants).where(eq(tenants.name, '模型公司'))
  await app.db.delete(accountRoles).where(eq(accountRoles.uid, uid))
  await app.db.delete(tenantScenes).where(eq(tenantScenes.tenantId, tenant!.id))
  const make = (n: number) => ({ tenantId: tenant!.id, roleName: `模型${n}`, roleCode: `model_${n}` })
  for (let n = 0; n < ROLES; n += 1) roleIds.push((await admin.call('POST', '/api/v1/tenant/role', make(n))).data.id)
  sceneId = (await admin.call('POST', '/api/v1/sys/scene', { sceneName: '模型', sceneCode: 'model' })).data.id
  await admin.call('POST', `/api/v1/sys/scene/sync/${sceneId}`, { tenantIds: [tenant!.id] })
  for (const perms of PERMS) {
    const [row] = await app.db
      .select()
      .from(menus)
      .where(and(eq(menus.perms, perms), isNull(menus.deletedAt)))
    menuIds.set(perms, row!.id)
  }
})

const idsOf = (perms: Iterable<string>) => [...perms].map((each) => menuIds.get(each) as number)
const named = (places: number[]) => places.map((place) => PERMS[place] as string)

const call = async (method: 'GET' | 'POST' | 'PUT', url: string, body?: object) => admin.call(method, url, body)

/** Replaces a role's permissions. Returns the expected and the received code. */
async function grantStep(model: Model, at: number, perms: string[]): Promise<[number, number]> {
  const roleId = roleIds[at] as number
  const before = model.grants[at] as Set<string>
  const { rev } = (await call('GET', `/api/v1/tenant/role/${roleId}`)).data
  const { code } = await call('POST', '/api/v1/tenant/role/permission', { roleId, menuIds: idsOf(perms), rev })
  const inScene = (each: string) => model.sceneOn && model.offered.has(each)
  // A role accepts only permissions that the tenant's scenes offer, and keeps currently withheld permissions.
  if (code === 200) model.grants[at] = new Set([...perms, ...[...before].filter((each) => !inScene(each))])
  return [perms.every((each) => inScene(each) || before.has(each)) ? 200 : 501, code]
}

async function roleStep(model: Model, what: 'hold' | 'drop' | 'roleOn' | 'roleOff', at: number) {
  if (what === 'hold' || what === 'drop') {
    const path = what === 'hold' ? 'addUserRole' : 'removeUserRole'
    await call('POST', `/api/v1/tenant/role/${path}`, { roleId: roleIds[at], uids: [uid] })
    model.held[at] = what === 'hold'
    return
  }
  await call('POST', `/api/v1/tenant/role/${what === 'roleOn' ? 'enable' : 'disable'}/${roleIds[at]}`)
  model.roleOn[at] = what === 'roleOn'
}

async function offerStep(model: Model, perms: string[]) {
  const { data } = await call('GET', `/api/v1/sys/scene/${sceneId}`)
  await call('PUT', '/api/v1/sys/scene', { ...data, menuIds: idsOf(perms) })
  model.offered = new Set(perms)
}

async function menuStep(model: Model, on: boolean, perms: string) {
  const { data } = await call('GET', `/api/v1/sys/menu/${menuIds.get(perms)}`)
  await call('PUT', '/api/v1/sys/menu', { ...data, status: on ? 1 : 0 })
  if (on) model.menuOff.delete(perms)
  else model.menuOff.add(perms)
}

/** Applies the step through the API and in the model. Returns the expected and the received code. */
async function take(model: Model, step: Step): Promise<[number, number]> {
  if (step.do === 'grant') return grantStep(model, step.role, named(step.perms))
  if (step.do === 'offer') await offerStep(model, named(step.perms))
  else if ('role' in step) await roleStep(model, step.do, step.role)
  else if ('perm' in step) await menuStep(model, step.do === 'menuOn', PERMS[step.perm] as string)
  else if (step.do === 'sceneOn' || step.do === 'sceneOff') {
    await call('POST', `/api/v1/sys/scene/${step.do === 'sceneOn' ? 'enable' : 'disable'}/${sceneId}`)
    model.sceneOn = step.do === 'sceneOn'
  } else {
    model.accountOn = step.do === 'accountOn'
    await app.db
      .update(accounts)
      .set({ status: model.accountOn ? 1 : 0 })
      .where(eq(accounts.uid, uid))
  }
  return [200, 200]
}

/** A disabled page disables its buttons. */
const menuCounts = ({ menuOff }: Model, perms: string) =>
  !menuOff.has(perms) && !(perms === 'system:operLog:export' && menuOff.has('system:operLog:list'))

const allowed = (model: Model): string[] =>
  PERMS.filter(
    (perms) =>
      model.sceneOn &&
      model.offered.has(perms) &&
      menuCounts(model, perms) &&
      model.grants.some((granted, role) => model.held[role] && model.roleOn[role] && granted.has(perms)),
  )

async function reset(): Promise<Model> {
  for (const id of roleIds) {
    await app.db.delete(roleMenus).where(eq(roleMenus.roleId, id))
    await app.db.update(roles).set({ status: 1 }).where(eq(roles.id, id))
  }
  await app.db.delete(accountRoles).where(eq(accountRoles.uid, uid))
  await app.db.delete(sceneMenus).where(eq(sceneMenus.sceneId, sceneId))
  await app.db.insert(sceneMenus).values(idsOf(PERMS).map((menuId) => ({ sceneId, menuId })))
  await app.db.update(scenes).set({ status: 1 }).where(eq(scenes.id, sceneId))
  await app.db.update(menus).set({ status: 1 })
  await updateMenuStatus(app.db)
  await app.db.update(accounts).set({ status: 1 }).where(eq(accounts.uid, uid))
  return {
    grants: roleIds.map(() => new Set<string>()),
    held: roleIds.map(() => false),
    roleOn: roleIds.map(() => true),
    offered: new Set(PERMS),
    sceneOn: true,
    menuOff: new Set(),
    accountOn: true,
  }
}

test('TENANT-03 PERM-04 effective permissions equal a reference model after every grant, revocation and status change', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
      const model = await reset()
      for (const each of steps) {
        const [expected, code] = await take(model, each)
        expect(code).toBe(expected)
        const rights = await loadRights(app.db, uid)
        expect(PERMS.filter((perms) => rights?.permissions.has(perms) ?? false)).toEqual(allowed(model))
        expect(rights?.suspendedReason === null).toBe(model.accountOn)
      }
    }),
    { numRuns: 40 },
  )
}, 120_000)
