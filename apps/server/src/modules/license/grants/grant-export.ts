import { GrantRow, licenseGrants as calls } from '@oms/contract/license/license-grant.ts'
import { and } from 'drizzle-orm'
import { licenseGrants } from '../schema.ts'
import { among } from '#core/database/lists/list-query.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { buildGrantFilter, buildGrantSort, selectGrants, visibleGrants } from './grant-rows.ts'

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
  keys: (db, user, input) =>
    db.select({ id: licenseGrants.id }).from(licenseGrants).where(buildGrantFilter(user, input)).$dynamic(),
  order: buildGrantSort,
  load: (db, user, keys) => selectGrants(db, user).where(and(visibleGrants(user), among(licenseGrants.id, keys))),
  keyOf: ({ id }) => id,
})
