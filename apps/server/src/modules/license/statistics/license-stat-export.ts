import { licenseStats as calls, TenantStatRow } from '@oms/contract/license/license-statistics.ts'
import { asc, eq } from 'drizzle-orm'
import { tenants } from '#core/schema/tenant.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { buildTenantStatQuery } from './license-stat-rows.ts'

const number = { type: 'number', width: 12 } as const

/** Exports the statistics of tenants. */
export const exportTenantStatistics = defineExport({
  kind: 'license-stat',
  endpoint: calls.export,
  sheet: '授权统计',
  schema: TenantStatRow,
  columns: [
    ['tenantName', { width: 30 }],
    ['received', number],
    ['allotted', number],
    ['bound', number],
    ['activated', number],
    ['suspended', number],
    ['expired', number],
    ['scrapped', number],
    ['rate', number],
    ['quota', number],
    ['used', number],
    ['remaining', number],
    ['warnBelow', number],
    ['isLow', { width: 10 }],
  ],
  key: tenants.id,
  join: (query, db, user, input) => {
    const { counted, granted, stock } = buildTenantStatQuery(db, user, input)
    return query
      .leftJoin(counted, eq(counted.tenantId, tenants.id))
      .leftJoin(granted, eq(granted.tenantId, tenants.id))
      .leftJoin(stock, eq(stock.tenantId, tenants.id))
  },
  where: (user, input, { db }) => buildTenantStatQuery(db, user, input).where,
  order: () => [asc(tenants.id)],
  load: (db, user, where) => {
    const { counted, granted, stock, columns } = buildTenantStatQuery(db, user, {})
    return db
      .select(columns)
      .from(tenants)
      .leftJoin(counted, eq(counted.tenantId, tenants.id))
      .leftJoin(granted, eq(granted.tenantId, tenants.id))
      .leftJoin(stock, eq(stock.tenantId, tenants.id))
      .where(where)
  },
  keyOf: ({ tenantId }) => tenantId,
})
