import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, optional, reference } from '../core/fields.ts'
import { declareOptions } from '../core/options.ts'

/** Options of the filters and forms of the cloud-storage screens, within the caller's scope. */
export const storageOptions = {
  /** `onSale` 1: returns only packages that can be opened now, for forms. */
  packages: declareOptions('/api/v1/oss/options/package', 'session', {
    row: {
      packageCode: z.string(),
      recordType: z.int(),
      storageDays: z.int(),
      period: z.string(),
      price: z.int(),
      channels: z.int(),
      isTrial: z.int(),
    },
    asked: { onSale: optional(choice('在售', { 1: '在售' })) },
  }),
  /** Devices of models with cloud storage, searched by serial number. */
  devices: declareOptions('/api/v1/oss/options/device', 'ossManage:deviceList:open', {
    row: { modelName: z.string() },
  }),
  /** Devices of one tenant that a transferred entitlement can move to, searched by serial number. */
  targets: declareOptions('/api/v1/oss/options/target', 'ossManage:deviceList:transfer', {
    row: { modelName: z.string(), cloudChannels: z.int() },
    asked: { tenantId: reference('客户') },
  }),
} as const satisfies Contract
