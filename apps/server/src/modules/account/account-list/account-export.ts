import { AccountRow } from '@oms/contract/account/account-fields.ts'
import { accounts as contract } from '@oms/contract/account/account-list.ts'
import { accounts } from '#core/schema/account.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { buildAccountSort, buildConditions, presentAccounts, selectAccounts } from './account-rows.ts'

const COLUMNS = [
  'uid',
  'account',
  'realname',
  'nickname',
  'mobileNo',
  'email',
  'tenantName',
  'roleNames',
  'status',
  'locked',
  'mfaEnabled',
  ['lastLoginTime', { type: 'dateTime', width: 20 }],
  'lastLoginIp',
  ['loginCount', { type: 'number' }],
  ['createTime', { type: 'dateTime', width: 20 }],
] as const

/** Exports the filtered list in list order. Phone numbers and mail addresses are masked as in the list. */
export const exportAccounts = defineExport({
  kind: 'account',
  endpoint: contract.export,
  sheet: '账号',
  schema: AccountRow,
  columns: COLUMNS,
  key: accounts.uid,
  where: buildConditions,
  order: buildAccountSort,
  load: async (db, user, where) => presentAccounts(db, user, await selectAccounts(db).where(where)),
  keyOf: ({ uid }) => uid,
  line: ({ status }) => ({ status: status === 1 ? '启用' : '停用' }),
})
