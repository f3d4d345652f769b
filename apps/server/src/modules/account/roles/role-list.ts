import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { RoleRow, role } from '@oms/contract/account/role.ts'
import { asc } from 'drizzle-orm'
import { roles } from '#core/schema/account.ts'
import type { Ctx } from '#core/http/context.ts'
import { addRoleChangeRefusals } from '../account-guard.ts'
import { defineList } from '#core/database/lists/record-list.ts'
import { readTenantNames } from '#core/tenancy/tenant-state.ts'
import { buildRoleFilter, readRole, selectRoles } from './role-rows.ts'

const number = { type: 'number', width: 10 } as const
const time = { type: 'dateTime' } as const

const { list, exportRows } = defineList({
  calls: role,
  kind: 'role',
  noun: '角色',
  row: RoleRow,
  key: roles.id,
  select: selectRoles,
  where: buildRoleFilter,
  sort: { roleSort: roles.roleSort, createTime: roles.createTime },
  standard: [asc(roles.roleSort), asc(roles.id)],
  columns: [
    ['roleName', { width: 24 }],
    ['roleCode', { width: 24 }],
    ['tenantName', { width: 24 }],
    ['dataScope', { width: 12 }],
    ['roleSort', number],
    ['userCount', number],
    ['menuCount', number],
    ['status', { width: 8 }],
    ['homeUrl', { width: 24 }],
    ['remark', { width: 40 }],
    ['createTime', time],
    ['updateTime', time],
  ],
})

export const exportRoles = exportRows

export async function listRoles(ctx: Ctx, input: ParsedOf<typeof role.list>) {
  const page = await list(ctx, input)
  return { ...page, list: await addRoleChangeRefusals(ctx, page.list) }
}

export async function getRole(ctx: Ctx, { id }: ParsedOf<typeof role.get>) {
  const found = await readRole(ctx, id)
  const scopeTenants = await readTenantNames(ctx.db, ctx.user, found.scopeIds)
  const [role] = await addRoleChangeRefusals(ctx, [found])
  return { ...role!, scopeTenants }
}

export const areTenantsInScope = async ({ db, user }: Ctx, ids: readonly number[]) =>
  (await readTenantNames(db, user, ids)).length === new Set(ids).size
