import { AGENT_EVENT_KIND } from '@oms/contract/agent/devices/device-event.ts'
import type { DeviceEvent } from '../devices/device-events.ts'

interface Move {
  readonly mac: string
  readonly tenantId: number
  readonly board: string
  readonly modelId: number
}

/** Returns the timeline event of a device that was moved to the device model that lists its board. */
export const buildModelMovedEvent = ({ mac, tenantId, board, modelId }: Move): DeviceEvent => ({
  mac,
  tenantId,
  kind: AGENT_EVENT_KIND.model,
  detail: { board, modelId },
})
