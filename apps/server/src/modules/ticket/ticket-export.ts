import { feedback } from '@oms/contract/feedback.ts'
import { FeedbackRow } from '@oms/contract/feedback-rows.ts'
import { and } from 'drizzle-orm'
import { tickets } from '#db/schema/ticket.ts'
import { among } from '#kernel/query.ts'
import { defineExport } from '#kernel/table/export.ts'
import { matching, shownTickets, ticketOrder, visible } from './ticket-rows.ts'

const time = { type: 'dateTime', width: 20 } as const

/** The filtered list as a file, in the list's order. */
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
      .where(and(visible(user), matching(input)))
      .$dynamic(),
  order: ticketOrder,
  load: (db, user, keys) => shownTickets(db).where(and(visible(user), among(tickets.id, keys))),
  keyOf: ({ id }) => id,
})
