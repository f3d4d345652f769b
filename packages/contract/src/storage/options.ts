import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, optional } from '../core/fields.ts'
import { optionsAt } from '../core/options.ts'

/** Options of the filters and forms of the cloud-storage screens, within the caller's scope. */
export const storageOptions = {
  /** `inUse` 1: for forms, without disabled and expired customers. */
  tenants: optionsAt('/api/v1/oss/options/tenant', 'session', {
    row: { tenantNo: z.string() },
    asked: { inUse: optional(choice('使用中', { 1: '使用中' })) },
  }),
  models: optionsAt('/api/v1/oss/options/model', 'session', { row: { modelCode: z.string() } }),
} as const satisfies Contract
