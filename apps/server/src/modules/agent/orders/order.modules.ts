import { agentGrants } from '@oms/contract/agent/orders/order-grant.ts'
import { agentIncome } from '@oms/contract/agent/orders/order-income.ts'
import { agentOrders } from '@oms/contract/agent/orders/order.ts'
import { implement } from '#core/http/implement.ts'
import { confirmOrder } from './order-confirm.ts'
import { createOrder, createGiftOrder, previewOrder } from './order-create.ts'
import { editOrder } from './order-edit.ts'
import { exportGrants, exportLedger, listGrants, listLedger } from './order-grants.ts'
import { exportIncome, listIncome } from './order-income.ts'
import { listOrderAgents, listOrderDevices, listOrderGroups, listOrderPackages } from './order-options.ts'
import { reviewRefund, closeOrder, requestRefund } from './order-refund.ts'
import { exportOrders, getOrder, listOrders, listTargets } from './order-rows.ts'

const orderModule = implement(agentOrders, {
  list: listOrders,
  get: getOrder,
  targets: listTargets,
  packages: listOrderPackages,
  devices: listOrderDevices,
  agents: listOrderAgents,
  groups: listOrderGroups,
  preview: previewOrder,
  create: createOrder,
  update: editOrder,
  gift: createGiftOrder,
  confirm: confirmOrder,
  close: closeOrder,
  refund: requestRefund,
  refundAudit: reviewRefund,
  export: exportOrders,
})
const grantModule = implement(agentGrants, {
  list: listGrants,
  export: exportGrants,
  ledger: listLedger,
  exportLedger,
})

const incomeModule = implement(
  agentIncome,
  { list: listIncome, export: exportIncome },
  { outsideTransaction: ['export'] },
)

export const agentOrderModules = [orderModule, grantModule, incomeModule]
