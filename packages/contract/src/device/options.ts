import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, id, optional } from '../core/fields.ts'
import { declareOptions } from '../core/options.ts'

/** Options of selects that any screen may show: at most 100 each, within the caller's data scope. */
export const recordOptions = {
  models: declareOptions('/api/v1/device/options/model', 'session', {
    row: { modelCode: z.string(), typeName: z.string(), status: z.int() },
    asked: { typeId: optional(id) },
  }),
  types: declareOptions('/api/v1/device/options/type', 'session'),
  /** `onlyEnabled` 1: omits disabled and expired tenants, for forms. */
  tenants: declareOptions('/api/v1/tenant/options/tenant', 'session', {
    row: { tenantNo: z.string() },
    asked: { onlyEnabled: optional(choice('仅启用', { 1: '仅启用' })) },
  }),
} as const satisfies Contract
