import { MemoryPanel } from './memory-panel.tsx'

/** Tab of an agent's page: its memory. */
const AgentMemoryTab = ({ agentId }: { agentId: number }) => <MemoryPanel of={{ agentId }} />
export default AgentMemoryTab
