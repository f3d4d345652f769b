import * as z from 'zod'
import { BatchReport } from '../core/transfer.ts'

/** An interval of a queue, in the past or planned. */
export const Interval = z.object({
  id: z.int(),
  packageName: z.string(),
  recordType: z.int(),
  storageDays: z.int(),
  from: z.string(),
  to: z.string(),
})
export type Interval = z.output<typeof Interval>

/** What an opening would do to the queues of its channels. */
export const OpenPlan = z.object({
  devices: z.int(),
  entitlements: z.int(),
  /** List price of all entitlements, and the amount that the form states, in fen. */
  listPrice: z.int().meta({ title: '标价合计', unit: 'fen' }),
  amount: z.int().meta({ title: '金额合计', unit: 'fen' }),
  /** Copies that are charged to an allowance, and copies that remain; null for staff of the vendor. */
  copies: z.int().meta({ title: '使用额度' }),
  allowance: z.int().nullable().meta({ title: '剩余额度' }),
  /** Seconds that an override discards on all channels, and the devices that lose them. */
  lostSeconds: z.int(),
  lostDevices: z.int(),
  /** The first channels, with their queue before and after. */
  queues: z.array(
    z.object({
      sn: z.string(),
      channel: z.int(),
      before: z.array(Interval),
      after: z.array(Interval),
      endTime: z.string().nullable(),
      /** Seconds that an override discards. */
      lostSeconds: z.int(),
    }),
  ),
  failed: BatchReport.shape.failed,
})
export type OpenPlan = z.output<typeof OpenPlan>
