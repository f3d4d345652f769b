import { StaffRow, staff } from '@oms/contract/account/staff.ts'
import { accounts } from '#core/schema/account.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { buildStaffFilter, readStaffByKeys, buildStaffSort } from './staff-rows.ts'

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

/** Exports the filtered list in list order. Phone numbers and mail addresses are masked as in the list. */
export const exportStaff = defineExport({
  kind: 'staff',
  endpoint: staff.export,
  sheet: '用户',
  schema: StaffRow,
  columns: COLUMNS,
  keys: (db, user, input) =>
    db.select({ uid: accounts.uid }).from(accounts).where(buildStaffFilter(user, input)).$dynamic(),
  order: buildStaffSort,
  load: readStaffByKeys,
  keyOf: ({ uid }) => uid,
})
