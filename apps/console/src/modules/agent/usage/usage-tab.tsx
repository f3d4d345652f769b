import { USAGE_GROUP_CODE } from '@oms/contract/agent/usage/usage.ts'
import { UsagePanel } from './usage-panel.tsx'

const GROUPS = [USAGE_GROUP_CODE.device, USAGE_GROUP_CODE.model] as const

/** Tab of an agent's page: its use by day, device and model. */
const AgentUsageTab = ({ agentId }: { readonly agentId: number }) => <UsagePanel of={{ agentId }} groups={GROUPS} />
export default AgentUsageTab
