import { and, sql } from 'drizzle-orm'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { devices } from '#modules/device/schema.ts'

/** Targets of a program or of a program version. */
export interface ProgramTarget {
  readonly tenantId: number
  /** `TARGET` of the contract. */
  readonly targetType: number
  readonly targetIds: readonly number[]
  /** 1: a default program, which ignores the targets and reaches all devices of its tenant. */
  readonly isDefault?: number
}

/** Condition on `devices`: the device is not deleted and has a screen. */
export const HAS_SCREEN_CONDITION = and(
  notDeleted(devices),
  sql`exists (select from ad_screens where ad_screens.device_id = ${devices.id})`,
)
