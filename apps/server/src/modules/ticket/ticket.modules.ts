import { feedback } from '@oms/contract/ticket/ticket.ts'
import { desk } from '@oms/contract/ticket/ticket-desk.ts'
import { feedbackStat } from '@oms/contract/ticket/ticket-statistics.ts'
import { implement, type Module } from '#core/http/implement.ts'
import {
  addTemplate,
  choices,
  removeTemplate,
  saveSla,
  sla,
  templates,
  updateTemplate,
  viewers,
} from './desk.service.ts'
import { exportStat } from './stat-export.ts'
import { model } from './stat-model.service.ts'
import { age, handler, heatmap, problem, summary, trend } from './stat.service.ts'
import { assign, close, merge, priority, rate, suspend, tags } from './ticket-batch.service.ts'
import { create } from './ticket-create.service.ts'
import { device, devicePage, exportDevices } from './ticket-device.service.ts'
import { claim, dispose } from './ticket-dispose.service.ts'
import { exportTickets } from './ticket-export.ts'
import { info, print, records, zip } from './ticket-info.service.ts'
import { page, pending } from './ticket-list.service.ts'

const ticketModule = implement(feedback, {
  page,
  pending,
  info,
  records,
  dispose,
  create,
  claim,
  assign,
  suspend,
  close,
  priority,
  tags,
  merge,
  rate,
  export: exportTickets,
  zip,
  print,
  devices: devicePage,
  exportDevices,
  device,
})
const deskModule = implement(desk, {
  templates,
  addTemplate,
  updateTemplate,
  removeTemplate,
  sla,
  saveSla,
  viewers,
  choices,
})
const statModule = implement(feedbackStat, {
  summary,
  trend,
  problem,
  model,
  handler,
  heatmap,
  age,
  export: exportStat,
})

export const ticketModules: readonly Module[] = [ticketModule, deskModule, statModule]
