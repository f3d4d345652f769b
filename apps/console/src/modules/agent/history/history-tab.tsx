import { HistoryPanel } from './history-panel.tsx'

/** Tab of an agent's page: its conversations. */
const AgentHistoryTab = ({ agentId }: { agentId: number }) => <HistoryPanel of={{ agentId }} />
export default AgentHistoryTab
