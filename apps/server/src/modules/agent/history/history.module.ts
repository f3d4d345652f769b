import { agentHistory } from '@oms/contract/agent/history/history.ts'
import { implement } from '#core/http/implement.ts'
import { exportHistory } from './history-export.ts'
import { searchHistory } from './history-search.ts'
import { sendTurnAudio, eraseSession, openSession, listSessions } from './history.ts'
import { getMemory, saveMemory } from './memory.ts'

export const agentHistoryModule = implement(agentHistory, {
  sessions: listSessions,
  open: openSession,
  search: searchHistory,
  export: exportHistory,
  audio: sendTurnAudio,
  erase: eraseSession,
  memory: getMemory,
  saveMemory,
})
