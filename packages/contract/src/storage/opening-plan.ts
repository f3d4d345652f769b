import * as z from 'zod'
import { BatchReport } from '../core/transfer.ts'

/** Period of one entitlement in the queue of a channel, in the past or planned. */
export const Interval = z.object({
  id: z.int(),
  packageName: z.string(),
  recordType: z.int(),
  storageDays: z.int(),
  from: z.string(),
  to: z.string(),
})
export type Interval = z.output<typeof Interval>

/** Preview of an opening: its prices and the changed queues of its channels. */
export const OpeningPlan = z.object({
  devices: z.int(),
  entitlements: z.int(),
  /** List price of all entitlements, and the amount that the form states, in fen. */
  listPrice: z.int().meta({ title: '标价合计', unit: 'fen' }),
  amount: z.int().meta({ title: '金额合计', unit: 'fen' }),
  /** Copies that are charged to the tenant's allowance, and remaining copies; null for staff of the vendor. */
  copies: z.int().meta({ title: '使用额度' }),
  allowance: z.int().nullable().meta({ title: '剩余额度' }),
  /** Seconds that an override discards on all channels, their value in fen, and the devices that lose them. */
  lostSeconds: z.int(),
  lostAmount: z.int().meta({ title: '作废价值', unit: 'fen' }),
  lostDevices: z.int(),
  /** The first affected channels, with their queues before and after the opening. */
  queues: z.array(
    z.object({
      sn: z.string(),
      channel: z.int(),
      before: z.array(Interval),
      after: z.array(Interval),
      endTime: z.string().nullable(),
      /** Seconds that an override discards, and the part of the paid amount that belongs to them, in fen. */
      lostSeconds: z.int(),
      lostAmount: z.int(),
    }),
  ),
  failed: BatchReport.shape.failed,
})
export type OpeningPlan = z.output<typeof OpeningPlan>
