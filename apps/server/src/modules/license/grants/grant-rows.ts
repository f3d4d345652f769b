import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { licenseGrants as calls } from '@oms/contract/license/license-grant.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { deviceModels } from '#modules/device/schema.ts'
import { licenseGrants } from '../schema.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { User } from '#core/http/context.ts'
import { contains, buildSort, within } from '#core/database/lists/list-query.ts'
import { scoped } from '#core/tenancy/tenancy.ts'

export type GrantFilter = Omit<ParsedOf<typeof calls.list>, 'pageNum' | 'pageSize'>

export const visibleGrants = (user: User) =>
  scoped(user, { tenant: licenseGrants.tenantId, creator: licenseGrants.createBy })

/** Selects grants with the columns of lists and details. */
export const selectGrants = (db: Db, user: User) =>
  db
    .select({
      id: licenseGrants.id,
      grantNo: licenseGrants.grantNo,
      tenantId: licenseGrants.tenantId,
      tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
      typeCode: licenseGrants.typeCode,
      modelId: licenseGrants.modelId,
      modelName: sql<string>`coalesce(${deviceModels.modelName}, '')`.as('model_name'),
      quota: licenseGrants.quota,
      used: licenseGrants.used,
      // A grant that was never issued has nothing left.
      remaining:
        sql<number>`case when ${licenseGrants.status} in (0, 5) then 0 else ${licenseGrants.quota} - ${licenseGrants.used} end`.as(
          'remaining',
        ),
      validFrom: licenseGrants.validFrom,
      validTo: licenseGrants.validTo,
      status: licenseGrants.status,
      contractNo: licenseGrants.contractNo,
      applyName: licenseGrants.applyName,
      isMine: sql<boolean>`${licenseGrants.applyBy} is not distinct from ${user.uid}`.as('is_mine'),
      auditName: licenseGrants.auditName,
      auditTime: licenseGrants.auditTime,
      auditRemark: licenseGrants.auditRemark,
      remark: licenseGrants.remark,
      createTime: licenseGrants.createTime,
      rev: licenseGrants.rev,
    })
    .from(licenseGrants)
    .leftJoin(tenants, eq(tenants.id, licenseGrants.tenantId))
    .leftJoin(deviceModels, eq(deviceModels.id, licenseGrants.modelId))

export const buildGrantFilter = (user: User, filter: Partial<GrantFilter>): SQL | undefined =>
  and(
    visibleGrants(user),
    filter.tenantId === undefined ? undefined : eq(licenseGrants.tenantId, filter.tenantId),
    filter.status === undefined ? undefined : eq(licenseGrants.status, filter.status),
    contains(licenseGrants.typeCode, filter.typeCode),
    contains(licenseGrants.grantNo, filter.grantNo),
    contains(licenseGrants.contractNo, filter.contractNo),
    ...within(licenseGrants.createTime, filter.beginTime, filter.endTime),
  )

export const buildGrantSort = (filter: Pick<GrantFilter, 'orderByColumn' | 'isAsc'>) =>
  buildSort(filter, { createTime: licenseGrants.id, validTo: licenseGrants.validTo }, licenseGrants.id)
