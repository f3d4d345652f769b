import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { recordOptions } from '@oms/contract/device/options.ts'
import type { Ctx } from '#core/http/context.ts'
import { implement } from '#core/http/implement.ts'
import { listModelOptions, listTypeOptions } from './fleet/device-models.ts'
import { listTenantOptions } from '#core/tenancy/tenant-options.ts'

const models = async ({ db }: Ctx, input: ParsedOf<typeof recordOptions.models>) => ({
  list: await listModelOptions(db, input),
})
const types = async ({ db }: Ctx, input: ParsedOf<typeof recordOptions.types>) => ({
  list: await listTypeOptions(db, input),
})
const tenants = async ({ db, user }: Ctx, input: ParsedOf<typeof recordOptions.tenants>) => ({
  list: await listTenantOptions(db, user, input),
})

export const optionsModule = implement(recordOptions, { models, types, tenants })
