import { agentReminders } from '@oms/contract/agent/history/reminder.ts'
import { implement } from '#core/http/implement.ts'
import { listReminders, removeReminder } from './reminder.ts'

export const agentReminderModule = implement(agentReminders, { list: listReminders, remove: removeReminder })
