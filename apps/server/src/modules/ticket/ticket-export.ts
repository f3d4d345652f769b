import { feedback } from '@oms/contract/ticket/ticket.ts'
import { FeedbackRow } from '@oms/contract/ticket/ticket-rows.ts'
import { and } from 'drizzle-orm'
import { tickets } from './schema.ts'
import { among } from '#core/database/lists/list-query.ts'
import { defineExport } from '#core/spreadsheet/export/export.ts'
import { buildTicketFilter, selectTickets, buildTicketSort, visibleTickets } from './ticket-rows.ts'

const time = { type: 'dateTime', width: 20 } as const

/** Exports the filtered list in the order of the list. */
export const exportTickets = defineExport({
  kind: 'ticket',
  endpoint: feedback.export,
  sheet: '售后工单',
  schema: FeedbackRow,
  columns: [
    'feedbackNo',
    'status',
    'priority',
    'problemType',
    ['content', { width: 50 }],
    'handler',
    'slaState',
    'tenantName',
    'account',
    'sn',
    'typeName',
    'modelName',
    'osVer',
    'tags',
    'source',
    ['createTime', time],
    ['firstRespondTime', time],
    ['closeTime', time],
    ['slaRespondDue', time],
    ['slaSolveDue', time],
    ['reopenCount', { type: 'number' }],
    'satisfaction',
    ['updateTime', time],
  ],
  keys: (db, user, input) =>
    db
      .select({ id: tickets.id })
      .from(tickets)
      .where(and(visibleTickets(user), buildTicketFilter(input)))
      .$dynamic(),
  order: buildTicketSort,
  load: (db, user, keys) => selectTickets(db).where(and(visibleTickets(user), among(tickets.id, keys))),
  keyOf: ({ id }) => id,
})
