import { StaffRow, staff } from '@oms/contract/account/staff.ts'
import { accounts } from '#core/schema/account.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { buildStaffFilter, buildStaffSort, presentStaff, staffColumns } from './staff-rows.ts'

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
  key: accounts.uid,
  where: buildStaffFilter,
  order: buildStaffSort,
  load: async (db, user, where) => presentStaff(db, user, await db.select(staffColumns).from(accounts).where(where)),
  keyOf: ({ uid }) => uid,
})
