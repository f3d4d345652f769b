import { feedback } from '@oms/contract/ticket/ticket.ts'
import { ticketDesk } from '@oms/contract/ticket/ticket-desk.ts'
import { feedbackStat } from '@oms/contract/ticket/ticket-statistics.ts'
import { implement, type Module } from '#core/http/implement.ts'
import {
  createTemplate,
  listTicketTags,
  removeTemplate,
  saveSlaSettings,
  getSlaSettings,
  listReplyTemplates,
  updateTemplate,
  updateViewers,
  nameTicketFilter,
} from './desk.ts'
import { exportStat, getModelStatistic, registerTicketRollups } from './model-statistics.ts'
import {
  getBacklogAges,
  getHandlerStatistic,
  getTicketHeatmap,
  getProblemStatistic,
  getTicketSummary,
  getTicketTrend,
} from './statistics.ts'
import {
  assignTickets,
  closeTickets,
  mergeTickets,
  commentOnTicket,
  setTicketPriority,
  rateTicket,
  suspendTickets,
  changeTicketTags,
} from './ticket-batch.ts'
import {
  createTicket,
  claimTicket,
  handleTicket,
  getTicket,
  getTicketForPrinting,
  listTicketHistory,
  downloadTicketFiles,
} from './ticket-detail.ts'
import { getTicketDevice, listServiceDevices, exportServiceDevices } from './service-devices.ts'
import { exportTickets, listTickets, listPendingTickets } from './ticket.ts'
import type { Services } from '#core/services.ts'
import { registerTicketSchedule } from './schedule.ts'

const ticketModule = implement(feedback, {
  page: listTickets,
  pending: listPendingTickets,
  info: getTicket,
  records: listTicketHistory,
  dispose: handleTicket,
  comment: commentOnTicket,
  create: createTicket,
  claim: claimTicket,
  assign: assignTickets,
  suspend: suspendTickets,
  close: closeTickets,
  priority: setTicketPriority,
  tags: changeTicketTags,
  merge: mergeTickets,
  rate: rateTicket,
  export: exportTickets,
  zip: downloadTicketFiles,
  print: getTicketForPrinting,
  devices: listServiceDevices,
  exportDevices: exportServiceDevices,
  device: getTicketDevice,
})
const deskModule = implement(ticketDesk, {
  templates: listReplyTemplates,
  addTemplate: createTemplate,
  updateTemplate,
  removeTemplate,
  sla: getSlaSettings,
  saveSla: saveSlaSettings,
  viewers: updateViewers,
  tags: listTicketTags,
  filterNames: nameTicketFilter,
})
const statModule = implement(feedbackStat, {
  summary: getTicketSummary,
  trend: getTicketTrend,
  problem: getProblemStatistic,
  model: getModelStatistic,
  handler: getHandlerStatistic,
  heatmap: getTicketHeatmap,
  age: getBacklogAges,
  export: exportStat,
})

export const ticketModules: readonly Module[] = [ticketModule, deskModule, statModule]

export function registerTicketJobs(services: Services) {
  registerTicketSchedule(services)
  registerTicketRollups(services)
}

// What later modules use.
export { tickets } from './schema.ts'
export { isTicketOpen, visibleTickets } from './ticket.ts'
export { findMissingYear } from './business-clock.ts'
export { readSlaSettings } from './sla.ts'
export { createTicketFromDevice } from './create-ticket.ts'
