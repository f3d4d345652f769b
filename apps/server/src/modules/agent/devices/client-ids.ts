import { formatMac } from '@oms/contract/device/device-fields.ts'

const UNBOUND_GROUP = 'GID_default'

/** A device as the MQTT gateway knows it. */
export interface GatewayDevice {
  readonly tenantId: number
  /** Twelve hex digits. */
  readonly mac: string
  readonly board: string
}

/**
 * Returns the client ids that the device may have at the gateway. The group in the id is the board, or the default
 * group when the device was unbound at its last boot.
 */
export function buildGatewayClientIds({ mac, board }: GatewayDevice): readonly string[] {
  const part = formatMac(mac, '_')
  const groups = board === '' ? [UNBOUND_GROUP] : [board.replaceAll(':', '_'), UNBOUND_GROUP]
  return groups.map((group) => `${group}@@@${part}@@@${part}`)
}
