import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { storageOptions as calls } from '@oms/contract/storage/options.ts'
import { and, asc, or } from 'drizzle-orm'
import { contains } from '#core/database/list-query.ts'
import type { Ctx } from '#core/http/context.ts'
import { alive } from '#core/tenancy/tenancy.ts'
import { tenantOptionsOf } from '#domain/tenants/tenant-options.ts'
import { deviceModels } from '#schema/device.ts'

const MOST = 100

export const tenantOptions = async ({ db, user }: Ctx, input: ParsedOf<typeof calls.tenants>) => ({
  list: await tenantOptionsOf(db, user, input),
})

export async function modelOptions({ db }: Ctx, { keyword }: ParsedOf<typeof calls.models>) {
  const list = await db
    .select({ id: deviceModels.id, name: deviceModels.modelName, modelCode: deviceModels.modelCode })
    .from(deviceModels)
    .where(
      and(
        alive(deviceModels),
        or(contains(deviceModels.modelName, keyword), contains(deviceModels.modelCode, keyword)),
      ),
    )
    .orderBy(asc(deviceModels.id))
    .limit(MOST)
  return { list }
}
