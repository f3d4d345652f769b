import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, day, id, ids, note, optional, reference, search, text, textLine, whole } from '../core/fields.ts'
import { createPageSchema, pageQuery } from '../core/page.ts'
import { EFFECT_MODE } from './entitlement.ts'
import { MAX_PRICE } from '../core/package-fields.ts'

export const CARD_STATE = { 0: '未使用', 1: '已使用', 2: '已作废', 3: '已过期' } as const
export const MAX_CARDS = 10_000
/** Number of hours for which the file of a batch can be downloaded. */
export const CARD_FILE_HOURS = 24

export const CardBatchInput = z.object({
  packageId: reference('云存套餐'),
  count: whole('数量', 1, MAX_CARDS),
  unitAmount: whole('单张金额', 0, MAX_PRICE).default(0).meta({ title: '单张金额', unit: 'fen' }),
  validTo: day('有效期至'),
  remark: note('备注', 200),
})
export const RedeemInput = z.object({
  code: textLine('卡密', 32),
  sn: textLine('序列号', 64),
  channel: whole('通道', 0, 63).default(0).meta({ title: '通道' }),
  effectMode: choice('生效方式', EFFECT_MODE).default(1).meta({ title: '生效方式', labels: EFFECT_MODE }),
})
export const VoidInput = z.object({ batchId: id, ids: optional(ids(1000)), reason: text('原因', 200) })

export const CardBatchRow = z.object({
  id: z.int(),
  batchNo: z.string().meta({ title: '批次号' }),
  packageName: z.string().meta({ title: '套餐' }),
  count: z.int().meta({ title: '数量' }),
  used: z.int().meta({ title: '已使用' }),
  voided: z.int().meta({ title: '已作废' }),
  unitAmount: z.int().meta({ title: '单张金额', unit: 'fen' }),
  validTo: z.string().meta({ title: '有效期至' }),
  remark: z.string().meta({ title: '备注' }),
  createName: z.string().meta({ title: '创建人' }),
  createTime: z.string().meta({ title: '生成时间' }),
  exportedTime: z.string().nullable().meta({ title: '下载时间' }),
  /** True when the caller created the batch and its file was neither downloaded nor destroyed. */
  hasFile: z.boolean(),
})
export type CardBatchRow = z.output<typeof CardBatchRow>

export const CardRow = z.object({
  id: z.int(),
  batchNo: z.string().meta({ title: '批次号' }),
  /** The last four letters. The code itself is not stored. */
  tail: z.string().meta({ title: '卡密尾号' }),
  packageName: z.string().meta({ title: '套餐' }),
  state: z.int().meta({ title: '状态', labels: CARD_STATE }),
  validTo: z.string().meta({ title: '有效期至' }),
  sn: z.string().meta({ title: '序列号' }),
  usedName: z.string().meta({ title: '兑换人' }),
  usedTime: z.string().nullable().meta({ title: '使用时间' }),
})
export type CardRow = z.output<typeof CardRow>

const access = 'ossManage:deviceList:card'

/** Cards with codes for one package each (tab 卡密 of `/ossManage/deviceList`). */
export const storageCards = {
  batches: {
    method: 'GET',
    path: '/api/v1/oss/card/batch/page',
    access,
    input: pageQuery.extend({ batchNo: search('批次号', 20), packageId: optional(id).meta({ title: '云存套餐' }) }),
    result: createPageSchema(CardBatchRow),
  },
  list: {
    method: 'GET',
    path: '/api/v1/oss/card/page',
    access,
    input: pageQuery.extend({
      batchId: optional(id).meta({ title: '批次' }),
      batchNo: search('批次号', 20),
      tail: search('卡密尾号', 4),
      sn: search('序列号', 64),
      state: optional(choice('状态', CARD_STATE)),
    }),
    result: createPageSchema(CardRow),
  },
  create: {
    method: 'POST',
    path: '/api/v1/oss/card/create',
    access,
    allTenants: true,
    title: '生成云存卡密',
    input: CardBatchInput,
    result: z.object({ id: z.int(), batchNo: z.string() }),
    done: '卡密已生成，文件仅可下载一次',
  },
  /** Voids the unused cards of a batch, or some of them. */
  void: {
    method: 'POST',
    path: '/api/v1/oss/card/void',
    access,
    allTenants: true,
    title: '作废云存卡密',
    kind: 'edit',
    body: 'json',
    input: VoidInput,
    result: z.object({ count: z.int() }),
    done: '已作废',
  },
  redeem: {
    method: 'POST',
    path: '/api/v1/oss/card/redeem',
    access,
    title: '兑换云存卡密',
    kind: 'add',
    log: ['sn', 'channel'],
    input: RedeemInput,
    result: z.object({ id: z.int() }),
    done: '兑换成功',
  },
  /** Downloads the codes of a batch: once, by the account that created the batch, within 24 hours. */
  file: {
    method: 'GET',
    path: '/api/v1/oss/card/file/:batchId',
    access,
    stream: 'download',
    title: '下载云存卡密',
    kind: 'export',
    input: z.object({ batchId: id }),
    result: z.null(),
  },
} as const satisfies Contract
