import { type AgentDeviceRow, agentDevices } from '@oms/contract/agent/devices/device.ts'
import { createContext, type ReactNode, use, useMemo } from 'react'
import { useRead } from '#core/api/query.ts'

const Connections = createContext<ReadonlyMap<number, number>>(new Map())

/** Returns 1 for a device that is connected to the MQTT gateway, 0 for other devices, undefined when unknown. */
export const useConnection = (deviceId: number) => use(Connections).get(deviceId)

interface Props {
  readonly rows: readonly Pick<AgentDeviceRow, 'id'>[]
  readonly children: ReactNode
}

/** Reads the connections of these devices after the list, which does not wait for the gateway. */
export function DeviceConnections({ rows, children }: Props) {
  const ids = rows.map(({ id }) => id)
  const { data } = useRead(agentDevices.connections, { ids }, { enabled: ids.length > 0, quiet: true })
  const byId = useMemo(() => new Map(data?.list.map(({ id, connection }) => [id, connection])), [data])
  return <Connections value={byId}>{children}</Connections>
}
