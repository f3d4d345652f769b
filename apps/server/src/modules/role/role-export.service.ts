import { RoleRow, role } from '@oms/contract/role/role.ts'
import { and } from 'drizzle-orm'
import { roles } from '#schema/account.ts'
import { among } from '#core/database/list-query.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { alive, scoped } from '#core/tenancy/tenancy.ts'
import { conditionsOf, roleOrder, selectRoles } from './role-rows.ts'

const number = { type: 'number', width: 10 } as const
const time = { type: 'dateTime' } as const

/** Exports the filtered list in the order of the list. */
export const exportRoles = defineExport({
  kind: 'role',
  endpoint: role.export,
  sheet: '角色',
  schema: RoleRow,
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
  keys: (db, user, input) => db.select({ id: roles.id }).from(roles).where(conditionsOf(user, input)).$dynamic(),
  order: roleOrder,
  load: (db, user, keys) =>
    selectRoles(db).where(
      and(alive(roles), scoped(user, { tenant: roles.tenantId, creator: roles.createBy }), among(roles.id, keys)),
    ),
  keyOf: ({ id }) => id,
})
