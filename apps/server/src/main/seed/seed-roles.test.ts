import { and, eq, inArray, like } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { roleMenus, roles } from '#core/schema/account.ts'
import { settings, menus } from '#core/schema/system.ts'
import { useApp } from '#test/harness.ts'
import { STANDARD_ROLES, syncRoles } from './seed-roles.ts'

const app = useApp()
const CODE = 'agent_operator'
const operators = () => app.db.select().from(roles).where(eq(roles.roleCode, CODE))
const menusOf = async (id: number) =>
  (await app.db.select({ id: roleMenus.menuId }).from(roleMenus).where(eq(roleMenus.roleId, id)))
    .map((menu) => menu.id)
    .sort((a, b) => a - b)

test('a database from before voice agents gets the role agent_operator once, with its permissions', async () => {
  const [first] = await operators()
  const granted = await menusOf(first!.id)
  expect(granted.length).toBeGreaterThan(30)
  await app.db.delete(roleMenus).where(eq(roleMenus.roleId, first!.id))
  await app.db.delete(roles).where(eq(roles.id, first!.id))
  await app.db.delete(settings).where(eq(settings.key, 'standardRoles'))
  await app.db.update(roles).set({ deletedAt: '2026-01-01 00:00:00' }).where(eq(roles.roleCode, 'auditor'))

  for (let start = 0; start < 2; start += 1) {
    await syncRoles(app.db)
    const [role, ...more] = await operators()
    expect(more).toEqual([])
    expect(await menusOf(role!.id)).toEqual(granted)
  }
  const codes = STANDARD_ROLES.map(({ roleCode }) => roleCode)
  expect(await app.db.select().from(roles).where(inArray(roles.roleCode, codes))).toHaveLength(codes.length)
})

test('a role that an administrator deleted or renamed is not created again', async () => {
  await app.db.update(roles).set({ deletedAt: '2026-01-01 00:00:00' }).where(eq(roles.roleCode, CODE))
  await syncRoles(app.db)
  expect(await operators()).toHaveLength(1)
  await app.db.update(roles).set({ deletedAt: null, roleCode: 'voice_team' }).where(eq(roles.roleCode, CODE))
  await syncRoles(app.db)
  expect(await operators()).toEqual([])
})

test('the shipped role for operating ads cannot approve, and the role for reviewing ads cannot edit', async () => {
  const permsOf = async (roleCode: string) => {
    const rows = await app.db
      .select({ perms: menus.perms })
      .from(roleMenus)
      .innerJoin(roles, eq(roles.id, roleMenus.roleId))
      .innerJoin(menus, eq(menus.id, roleMenus.menuId))
      .where(and(eq(roles.roleCode, roleCode), like(menus.perms, 'advertiseManage:%:%')))
    return rows.map(({ perms }) => perms.replace('advertiseManage:', ''))
  }
  const operator = await permsOf('ad_operator')
  expect(operator).toEqual(expect.arrayContaining(['adList:submit', 'ProgramList:publish', 'ProgramList:screen']))
  expect(operator.filter((perms) => perms.endsWith(':audit'))).toEqual([])
  const auditor = await permsOf('ad_auditor')
  const allowed = /:(?:list|query|export|audit)$/
  expect(auditor).toEqual(expect.arrayContaining(['adList:audit', 'ProgramList:audit']))
  expect(auditor.filter((perms) => !allowed.test(perms))).toEqual([])
})
