import * as z from 'zod'
import { UPLOAD } from '../../core/upload.ts'
import { choice, id, limited, money, note, noteLine, optional, reference, rev, text } from '../../core/fields.ts'
import { splitCodes } from '../../core/normalize-line.ts'
import { packageScope, YES_NO } from '../../core/package-fields.ts'
import { GRANT_SCOPE } from '../packages/package-terms.ts'

export const ORDER_STATE = { 0: '待确认', 1: '已支付', 2: '退款中', 3: '已退款', 4: '已关闭', 5: '已完成' } as const
export const ORDER_STATE_CODE = { pending: 0, paid: 1, refunding: 2, refunded: 3, closed: 4, finished: 5 } as const
/** Ways of payment. The value 4 is reserved for online payment. */
export const PAYMENT_METHOD = { 1: '转账', 2: '合同', 3: '赠送', 5: '免费' } as const
export const GIFT_PAY_WAY = 3
/** Way of payment of a sale with the amount 0, such as a trial. Such an order has no voucher. */
export const FREE_PAY_WAY = 5
/** Ways of payment that an accountant can choose for a sale. */
export const SALE_PAYMENT_METHOD = { 1: '转账', 2: '合同' } as const
export const REFUND_STATE = { 0: '待审批', 1: '已退款', 2: '已驳回' } as const
/** Orders and refunds that wait for the account, which must be another person than the creator or requester. */
export const ORDER_TODO = { 1: '待我确认的订单', 2: '待我审批的退款' } as const
const PASS = { 1: '同意', 0: '驳回' } as const

export const MAX_TARGETS = 2000
export const MAX_COPIES = 36
/** Maximum grants of an order: targets × copies × allowances. */
export const MAX_GRANTS = 20_000
/** Days after which a pending order is closed. */
export const PENDING_DAYS = 7

export const OWN_ORDER_MESSAGE = '不能确认自己提交的订单，请由其他人确认'
export const NOT_CREATOR = { edit: '只有创建人可以编辑订单', close: '只有创建人可以关闭订单' } as const
export const OWN_REFUND_MESSAGE = '不能审批自己提交的退款申请，请由其他人审批'

const SERIALS = `序列号最多${MAX_TARGETS}个`
/** Serial numbers or MACs, separated by line breaks, blanks or commas. */
const serials = z
  .string('序列号不正确')
  .max(MAX_TARGETS * 65, SERIALS)
  .default('')
  .refine((value) => splitCodes(value).length <= MAX_TARGETS, SERIALS)
  .meta({ title: '序列号或MAC' })
/** Splits the field `serials`. */
export const splitSerials = (value: string) => [...new Set(splitCodes(value))]

/** Package, buyer and targets of an order. Targets follow the scope of the package: devices, agents, or the buyer. */
const goods = {
  packageId: reference('套餐'),
  /** Defaults to the tenant of the session. */
  tenantId: optional(id).meta({ title: '客户' }),
  deviceIds: z
    .preprocess((value) => value ?? [], z.array(id, '设备不正确').max(MAX_TARGETS, `设备最多选择${MAX_TARGETS}台`))
    .meta({ title: '设备' }),
  groupId: optional(id).meta({ title: '设备分组' }),
  serials,
  agentIds: packageScope('智能体').default([]).meta({ title: '智能体' }),
  copies: limited('份数', 1, MAX_COPIES, `份数应为1～${MAX_COPIES}`).default(1).meta({ title: '份数' }),
}
const discount = money('优惠金额').default(0).meta({ title: '优惠金额', unit: 'fen' })

/** A sale. The vendor may give a discount with a reason. */
export const OrderInput = z.object({
  ...goods,
  discount,
  discountReason: note('优惠原因', 200),
  remark: note('备注', 200),
})
export const GiftInput = z.object({ ...goods, remark: text('赠送原因', 200) })
export const PreviewInput = z.object({ ...goods, discount, isGift: choice('赠送', YES_NO).default(0) })

const VOUCHER_FILE = '凭证文件不正确，请重新上传'
export const ConfirmInput = z.object({
  payWay: optional(choice('收款方式', SALE_PAYMENT_METHOD)).meta({ title: '收款方式', labels: SALE_PAYMENT_METHOD }),
  voucherNo: noteLine('凭证号', 64),
  /** Ids of uploaded files with the purpose `agentVoucher`. */
  voucherFiles: z
    .array(z.string(VOUCHER_FILE).regex(/^[0-9a-f]{32}$/, VOUCHER_FILE), VOUCHER_FILE)
    .max(UPLOAD.agentVoucher.maxCount, `凭证文件最多${UPLOAD.agentVoucher.maxCount}个`)
    .default([])
    .meta({ title: '凭证文件' }),
})
export const CloseInput = z.object({ reason: text('关闭原因', 200) })
export const RefundInput = z.object({ reason: text('退款原因', 200) })
export const RefundAuditInput = z
  .object({ id, rev, pass: choice('审批结果', PASS), auditRemark: note('审批意见', 200) })
  .refine(({ pass, auditRemark }) => pass === 1 || auditRemark !== '', {
    path: ['auditRemark'],
    message: '驳回时请填写审批意见',
  })

export const OrderRow = z.object({
  id: z.int(),
  orderNo: z.string().meta({ title: '订单号' }),
  tenantId: z.int(),
  tenantName: z.string().meta({ title: '客户' }),
  packageId: z.int(),
  packageName: z.string().meta({ title: '套餐' }),
  version: z.int().meta({ title: '套餐版本' }),
  /** Chinese text with the allowances of one copy. */
  content: z.string().meta({ title: '套餐内容' }),
  scope: z.int().meta({ title: '使用范围', labels: GRANT_SCOPE }),
  /** The first target. */
  targetName: z.string().meta({ title: '使用对象' }),
  targetCount: z.int().meta({ title: '对象数' }),
  copies: z.int().meta({ title: '份数' }),
  unitPrice: z.int().meta({ title: '单价', unit: 'fen' }),
  discount: z.int().meta({ title: '优惠金额', unit: 'fen' }),
  amount: z.int().meta({ title: '订单金额', unit: 'fen' }),
  refunded: z.int().meta({ title: '已退款', unit: 'fen' }),
  /** Rest of each allowance in words, summed over targets and copies; empty before the payment. */
  left: z.string().meta({ title: '剩余' }),
  /** Smallest share of a limited allowance that is left, from 0 to 1; null without a limited allowance. */
  leftShare: z.number().nullable().meta({ title: '剩余比例' }),
  state: z.int().meta({ title: '状态', labels: ORDER_STATE }),
  payWay: z.int().meta({ title: '收款方式', labels: { 0: '', ...PAYMENT_METHOD } }),
  voucherNo: z.string().meta({ title: '凭证号' }),
  isTrial: z.int().meta({ title: '试用套餐', labels: YES_NO }),
  /** Latest end of the grants that began; null before. */
  validUntil: z.string().nullable().meta({ title: '有效期至' }),
  createName: z.string().meta({ title: '创建人' }),
  createTime: z.string().meta({ title: '创建时间' }),
  payName: z.string().meta({ title: '确认人' }),
  payTime: z.string().nullable().meta({ title: '支付时间' }),
  remark: z.string().meta({ title: '备注' }),
  /** True when the caller created the order; another account must confirm it. */
  isMine: z.boolean(),
  /** True while a refund that the caller requested is undecided. Another account must decide. */
  isMyRefund: z.boolean(),
  rev: z.int(),
})
export type OrderRow = z.output<typeof OrderRow>

export const RefundRow = z.object({
  id: z.int(),
  amount: z.int().meta({ title: '退款金额', unit: 'fen' }),
  state: z.int().meta({ title: '状态', labels: REFUND_STATE }),
  reason: z.string().meta({ title: '退款原因' }),
  createName: z.string().meta({ title: '申请人' }),
  createTime: z.string().meta({ title: '申请时间' }),
  auditName: z.string().meta({ title: '审批人' }),
  auditTime: z.string().nullable().meta({ title: '审批时间' }),
  auditRemark: z.string().meta({ title: '审批意见' }),
  /** True when the caller requested the refund. Another account must decide. */
  isMine: z.boolean(),
})
export type RefundRow = z.output<typeof RefundRow>

/**
 * Sums of an order by unit, over its targets and copies. Amounts are in the unit of the package; minutes have
 * fractions.
 */
const UnitSum = z.object({
  unit: z.int(),
  isUnlimited: z.boolean(),
  total: z.number(),
  left: z.number(),
  spent: z.number(),
  lapsed: z.number(),
  refunded: z.number(),
})
export const OrderDetail = OrderRow.extend({
  activateDays: z.int().meta({ title: '激活期限' }),
  validDays: z.int().meta({ title: '有效期' }),
  voucherFiles: z.array(z.object({ url: z.string(), name: z.string() })).meta({ title: '凭证文件' }),
  discountReason: z.string().meta({ title: '优惠原因' }),
  closeReason: z.string().meta({ title: '关闭原因' }),
  closeTime: z.string().nullable().meta({ title: '关闭时间' }),
  finishTime: z.string().nullable().meta({ title: '完成时间' }),
  units: z.array(UnitSum),
  refunds: z.array(RefundRow),
  /** Amount in fen that a refund requested now would have; null when the order cannot be refunded. */
  proposal: z.int().nullable(),
})
export type OrderDetail = z.output<typeof OrderDetail>

export const TargetRow = z.object({
  id: z.int(),
  line: z.int().meta({ title: '行号' }),
  /** Id of the device, the agent or the tenant. */
  targetId: z.int(),
  name: z.string().meta({ title: '使用对象' }),
})
export type TargetRow = z.output<typeof TargetRow>

const PackRow = z.object({
  packNo: z.int(),
  activateUntil: z.string().meta({ title: '最晚激活' }),
  /** Begin and end of each copy, if the target is used from now on without a pause. */
  beginTime: z.string().meta({ title: '开始时间' }),
  validUntil: z.string().meta({ title: '结束时间' }),
})
export const OrderPreview = z.object({
  targetCount: z.int(),
  grantCount: z.int(),
  listAmount: z.int(),
  discount: z.int(),
  amount: z.int(),
  content: z.string(),
  packs: z.array(PackRow),
  /** The first 200 refused targets with the reason. An order with refused targets is not accepted. */
  problems: z.array(z.object({ name: z.string(), msg: z.string() })),
})
export type OrderPreview = z.output<typeof OrderPreview>
