import { about } from '@oms/contract/kernel/fields.ts'
import { STAFF_IMPORT_COLUMNS, StaffInput, StaffRow, staff } from '@oms/contract/staff.ts'
import { accounts } from '#db/schema/account.ts'
import type { StreamAnswer } from '#kernel/implement.ts'
import { defineExport } from '#kernel/table/export.ts'
import { sendTable } from '#kernel/table/send-table.ts'
import { conditionsOf, staffByKeys, staffOrder } from './staff-rows.ts'

const COLUMNS = [
  'account',
  'realname',
  'nickname',
  'gender',
  'mobileNo',
  'email',
  'roleNames',
  'status',
  'locked',
  ['lastLoginTime', { type: 'dateTime', width: 20 }],
  'lastLoginIp',
  ['expireTime', { type: 'dateTime', width: 20 }],
  ['createTime', { type: 'dateTime', width: 20 }],
  'remark',
] as const

/** The filtered list in its order; numbers masked as on the screen. */
export const exportStaff = defineExport({
  kind: 'staff',
  endpoint: staff.export,
  sheet: '用户',
  schema: StaffRow,
  columns: COLUMNS,
  keys: (db, user, input) =>
    db.select({ uid: accounts.uid }).from(accounts).where(conditionsOf(user, input)).$dynamic(),
  order: staffOrder,
  load: staffByKeys,
  keyOf: ({ uid }) => uid,
})

/** Title of an import column; roles are named, not numbered. */
export const importTitle = (key: (typeof STAFF_IMPORT_COLUMNS)[number]) =>
  key === 'roles' ? '角色' : about(StaffInput, key).title

const SAMPLE = {
  account: 'zhangsan',
  realname: '张三',
  nickname: '小张',
  gender: '男',
  mobileNo: '13800000000',
  email: 'zhangsan@example.com',
  roles: '',
  remark: '示例行，导入前请删除',
}

export function template(): StreamAnswer {
  const columns = STAFF_IMPORT_COLUMNS.map((key) => ({ key, title: importTitle(key), width: 20 }))
  return (_request, reply) => sendTable(reply, { name: '用户导入模板', format: 'xlsx', columns, rows: [SAMPLE] })
}
