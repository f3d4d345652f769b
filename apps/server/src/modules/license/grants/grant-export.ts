import { GrantRow, licenseGrants as calls } from '@oms/contract/license/license-grant.ts'
import { licenseGrants } from '../schema.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { buildGrantFilter, buildGrantSort, selectGrants } from './grant-rows.ts'

const number = { type: 'number', width: 12 } as const
const time = { type: 'dateTime', width: 20 } as const

export const exportGrants = defineExport({
  kind: 'license-grant',
  endpoint: calls.export,
  sheet: '授权',
  schema: GrantRow,
  columns: [
    ['grantNo', { width: 20 }],
    'tenantName',
    'typeCode',
    'modelName',
    ['quota', number],
    ['used', number],
    ['remaining', number],
    ['validFrom', { width: 14 }],
    ['validTo', { width: 14 }],
    'status',
    'contractNo',
    'applyName',
    ['createTime', time],
    'auditName',
    ['auditTime', time],
    'auditRemark',
    'remark',
  ],
  key: licenseGrants.id,
  where: buildGrantFilter,
  order: buildGrantSort,
  load: (db, user, where) => selectGrants(db, user).where(where),
  keyOf: ({ id }) => id,
})
