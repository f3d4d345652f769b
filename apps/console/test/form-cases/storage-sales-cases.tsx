import { storageAllowances } from '@oms/contract/storage/allowance.ts'
import { storageCards } from '@oms/contract/storage/card.ts'
import { storageHooks } from '@oms/contract/storage/hook.ts'
import { storageOptions } from '@oms/contract/storage/options.ts'
import { storageOrders } from '@oms/contract/storage/order.ts'
import { recordOptions } from '@oms/contract/device/options.ts'
import { AllowanceForm } from '#modules/storage/allowance-dialogs.tsx'
import { CardBatchForm, RedeemDialog, VoidDialog } from '#modules/storage/card-forms.tsx'
import { HookForm } from '#modules/storage/hook-dialogs.tsx'
import { RefundDialogs } from '#modules/storage/order-tab.tsx'
import { type FormCase, buildOptions } from './form-case.ts'

const PACKAGES = [
  storageOptions.packages,
  buildOptions({ packageCode: 'p', recordType: 1, storageDays: 7, period: '1个月', price: 0 }),
] as const
const TENANTS = [recordOptions.tenants, buildOptions({ tenantNo: 't' })] as const
const TARGET = { itemId: 1, outOrderNo: 'S1001', sn: 'CAM1', refundable: 900 }
const ROW = { id: 1, batchNo: 'KB1', packageName: '月卡', count: 9, used: 0, voided: 0 } as never
const REFUND = { id: 1, refundNo: 'RF1', outOrderNo: 'S1001', sn: 'CAM1', amount: 900 } as never

/** Forms of orders, cards, allowances and webhooks of cloud storage. */
export const STORAGE_SALES_CASES: readonly FormCase[] = [
  {
    name: '发放开通额度',
    file: 'storage/allowance-dialogs.tsx',
    save: storageAllowances.create,
    field: 'remark',
    fill: { quota: '10' },
    choose: ['tenantId', 'packageId'],
    reads: [PACKAGES, TENANTS],
    form: (close) => <AllowanceForm row="new" onClose={close} />,
  },
  {
    name: '编辑开通额度',
    file: 'storage/allowance-dialogs.tsx',
    save: storageAllowances.update,
    field: 'remark',
    record: { read: storageAllowances.get, values: { quota: 10 } },
    form: (close, row) => <AllowanceForm row={row as never} onClose={close} />,
  },
  {
    name: '生成卡密',
    file: 'storage/card-forms.tsx',
    save: storageCards.create,
    field: 'remark',
    fill: { validTo: '2099-12-31' },
    choose: ['packageId'],
    reads: [PACKAGES],
    form: (close) => <CardBatchForm onClose={close} />,
  },
  {
    name: '兑换卡密',
    file: 'storage/card-forms.tsx',
    save: storageCards.redeem,
    field: 'code',
    fill: { sn: 'CAM1' },
    form: (close) => <RedeemDialog onClose={close} />,
  },
  {
    name: '作废卡密',
    file: 'storage/card-forms.tsx',
    save: storageCards.void,
    field: 'reason',
    form: (close) => <VoidDialog row={ROW} onClose={close} />,
  },
  {
    name: '申请退款',
    file: 'storage/order-tab.tsx',
    save: storageOrders.requestRefund,
    field: 'reason',
    fill: { amount: '9' },
    form: (close) => <RefundDialogs dialog={{ kind: 'request', target: TARGET }} onClose={close} />,
  },
  {
    name: '登记线下退款',
    file: 'storage/order-tab.tsx',
    save: storageOrders.recordRefund,
    field: 'outRefundNo',
    fill: { amount: '9', reason: '银行转账' },
    form: (close) => <RefundDialogs dialog={{ kind: 'record', target: TARGET }} onClose={close} />,
  },
  {
    name: '驳回退款',
    file: 'storage/order-tab.tsx',
    save: storageOrders.rejectRefund,
    field: 'reason',
    form: (close) => <RefundDialogs dialog={{ kind: 'reject', row: REFUND }} onClose={close} />,
  },
  {
    name: '新增商城',
    file: 'storage/hook-dialogs.tsx',
    save: storageHooks.create,
    field: 'hookName',
    reads: [TENANTS],
    form: (close) => <HookForm row="new" onSecret={() => {}} onClose={close} />,
  },
  {
    name: '编辑商城',
    file: 'storage/hook-dialogs.tsx',
    save: storageHooks.update,
    field: 'hookName',
    record: { read: storageHooks.get, values: { priceFree: 0, status: 1 } },
    form: (close, row) => <HookForm row={row as never} onSecret={() => {}} onClose={close} />,
  },
]
