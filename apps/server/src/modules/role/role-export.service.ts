import { RoleRow, role } from '@oms/contract/role.ts'
import { and } from 'drizzle-orm'
import { roles } from '#db/schema/account.ts'
import { among } from '#kernel/query.ts'
import { defineExport } from '#kernel/table/export.ts'
import { alive, scoped } from '#kernel/tenancy.ts'
import { matching, roleOrder, shownRoles } from './role-rows.ts'

const number = { type: 'number', width: 10 } as const
const time = { type: 'dateTime' } as const

/** The filtered list as a file, in the list's order. */
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
  keys: (db, user, input) => db.select({ id: roles.id }).from(roles).where(matching(user, input)).$dynamic(),
  order: roleOrder,
  load: (db, user, keys) =>
    shownRoles(db).where(
      and(alive(roles), scoped(user, { tenant: roles.tenantId, creator: roles.createBy }), among(roles.id, keys)),
    ),
  keyOf: ({ id }) => id,
})
