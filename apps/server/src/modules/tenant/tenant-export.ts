import { TenantRow } from '@oms/contract/tenant/tenant-info.ts'
import { tenant } from '@oms/contract/tenant/tenant.ts'
import { ApplyRow, userApply } from '@oms/contract/tenant/user-apply.ts'
import { tenants, userApplications } from '#core/schema/tenant.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import {
  buildApplicationSort,
  buildApplicationFilter as applyConditions,
  presentApplications,
  selectApplications,
} from './application.ts'
import { buildTenantFilter, buildTenantSort, presentTenants, selectTenants } from './tenant-rows.ts'

const limit = (count: number) => (count < 0 ? '不限' : String(count))

/** Exports the filtered list in list order. Phone numbers and mail addresses are masked as in the list. */
export const exportTenants = defineExport({
  kind: 'tenant',
  endpoint: tenant.export,
  sheet: '客户',
  schema: TenantRow,
  columns: [
    'tenantNo',
    ['name', { width: 30 }],
    'shortName',
    'industryName',
    'companySize',
    'level',
    'contactName',
    'contactPhone',
    'contactEmail',
    'sceneNames',
    ['accountUsed', { type: 'number' }],
    'accountCount',
    ['deviceUsed', { type: 'number' }],
    'deviceQuota',
    ['beginTime', { type: 'dateTime', width: 20 }],
    ['expireTime', { type: 'dateTime', width: 20 }],
    'status',
    ['createTime', { type: 'dateTime', width: 20 }],
    'remark',
  ],
  key: tenants.id,
  where: buildTenantFilter,
  order: buildTenantSort,
  load: async (db, user, where) => presentTenants(db, user, await selectTenants(db).where(where)),
  keyOf: ({ id }) => id,
  line: ({ accountCount, deviceQuota }) => ({ accountCount: limit(accountCount), deviceQuota: limit(deviceQuota) }),
})

export const exportApplications = defineExport({
  kind: 'userApply',
  endpoint: userApply.export,
  sheet: '加入申请',
  schema: ApplyRow,
  columns: [
    'applyNo',
    'account',
    'realname',
    'mobileNo',
    ['tenantName', { width: 30 }],
    'source',
    ['reason', { width: 30 }],
    'status',
    'roleNames',
    'auditName',
    ['auditTime', { type: 'dateTime', width: 20 }],
    ['auditRemark', { width: 30 }],
    ['createTime', { type: 'dateTime', width: 20 }],
  ],
  key: userApplications.id,
  where: applyConditions,
  order: buildApplicationSort,
  load: async (db, user, where) => presentApplications(db, user, await selectApplications(db).where(where)),
  keyOf: ({ id }) => id,
})
