import { and, eq, isNull } from 'drizzle-orm'
import { beforeAll } from 'vitest'
import { accounts } from '#core/schema/account.ts'
import { menus, operLogs } from '#core/schema/system.ts'
import { type Caller, useApp } from '#test/harness.ts'

export const ROLE_URL = '/api/v1/tenant/role'
/** Permissions of a role manager, without setting data scopes. */
export const ROLE_MANAGER_PERMISSIONS = [
  'list',
  'query',
  'add',
  'edit',
  'remove',
  'enable',
  'assignPerm',
  'assignUser',
].map((action) => `system:rolemanagement:${action}`)

/** Starts the server with a super administrator and returns common steps of role tests. */
export function createRoleFixture() {
  const app = useApp()
  let serial = 0
  const at = { admin: undefined as unknown as Caller }
  beforeAll(async () => {
    at.admin = await app.by({ superAdmin: true })
  })

  /** Returns a valid new role with a unique name and code. */
  const input = (over = {}) => {
    serial += 1
    return { roleName: `角色${serial}`, roleCode: `role_${serial}`, ...over }
  }
  const made = async (over = {}, by = at.admin): Promise<number> =>
    (await by.call('POST', ROLE_URL, input(over))).data.id
  const menuId = async (perms: string) => {
    const [row] = await app.db
      .select({ id: menus.id })
      .from(menus)
      .where(and(eq(menus.perms, perms), isNull(menus.deletedAt)))
    return row?.id as number
  }
  const grant = async (roleId: number, perms: readonly string[], by = at.admin) => {
    const { data } = await by.call('GET', `${ROLE_URL}/${roleId}`)
    const menuIds = await Promise.all(perms.map(menuId))
    return by.call('POST', `${ROLE_URL}/permission`, { roleId, menuIds, rev: data.rev })
  }
  const assign = (roleId: number, uids: readonly number[], by = at.admin) =>
    by.call('POST', `${ROLE_URL}/addUserRole`, { roleId, uids })
  const lastLog = async (roleId: number) => {
    const rows = await app.db
      .select()
      .from(operLogs)
      .where(and(eq(operLogs.bizType, 'role'), eq(operLogs.bizId, String(roleId))))
      .orderBy(operLogs.operId)
    return rows.at(-1)
  }
  const tenantIdOf = async ({ uid }: Caller) =>
    (await app.db.select().from(accounts).where(eq(accounts.uid, uid)))[0]?.tenantId as number

  return { app, at, input, made, menuId, grant, assign, lastLog, tenantIdOf }
}
