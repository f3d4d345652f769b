import { agentHistory } from '@oms/contract/agent/history/history.ts'
import { implement } from '#core/http/implement.ts'
import { exportHistory } from './history-export.ts'
import { search } from './history-search.ts'
import { audio, erase, memory, open, saveMemory, sessions } from './history.service.ts'

export const agentHistoryModule = implement(agentHistory, {
  sessions,
  open,
  search,
  export: exportHistory,
  audio,
  erase,
  memory,
  saveMemory,
})
