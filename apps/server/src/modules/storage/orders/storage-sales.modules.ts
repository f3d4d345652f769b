import { storageApp } from '@oms/contract/storage/app-sales.ts'
import { storageCards } from '@oms/contract/storage/card.ts'
import { storageHooks } from '@oms/contract/storage/hook.ts'
import { storageOrders } from '@oms/contract/storage/order.ts'
import { implement, type Module } from '#core/http/implement.ts'
import { listAppNotices, openTrialInApp, redeemCardInApp, transferInApp } from './app-sales.ts'
import { sendCardFile, createCards, listBatches, listCards, voidCards } from '../cards/card.ts'
import { redeemCard } from '../cards/card-redeem.ts'
import {
  createHook,
  getEvent,
  getHook,
  listEvents,
  listHooks,
  replayHookEvent,
  rotateHookSecret,
  updateHook,
} from '../integrations/hook.ts'
import { exportOrders, getOrder, listOrders, listRefunds } from './order.ts'
import { recordRefund, rejectRefund, requestRefund } from './refund.ts'

const orderModule = implement(
  storageOrders,
  {
    list: listOrders,
    export: exportOrders,
    get: getOrder,
    refunds: listRefunds,
    requestRefund,
    recordRefund,
    rejectRefund,
  },
  { outsideTransaction: ['recordRefund'] },
)
const hookModule = implement(
  storageHooks,
  {
    list: listHooks,
    get: getHook,
    create: createHook,
    update: updateHook,
    rotate: rotateHookSecret,
    events: listEvents,
    event: getEvent,
    replay: replayHookEvent,
  },
  { outsideTransaction: ['replay'] },
)
const cardModule = implement(
  storageCards,
  {
    batches: listBatches,
    list: listCards,
    create: createCards,
    void: voidCards,
    redeem: (ctx, input) => redeemCard(ctx, input),
    file: sendCardFile,
  },
  { outsideTransaction: ['redeem', 'file'] },
)
const appModule = implement(
  storageApp,
  { redeem: redeemCardInApp, trial: openTrialInApp, transfer: transferInApp, notices: listAppNotices },
  { outsideTransaction: ['redeem'] },
)

export const storageSalesModules: readonly Module[] = [orderModule, hookModule, cardModule, appModule]
