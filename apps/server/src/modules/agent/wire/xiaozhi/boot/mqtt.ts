import { formatMac } from '@oms/contract/device/device-fields.ts'
import { createHmac } from 'node:crypto'

/** Address and key of the MQTT gateway (`xiaozhi-mqtt-gateway`). */
export interface MqttGateway {
  readonly endpoint: string
  readonly signatureKey: string
}

export interface GatewayClient {
  /** Twelve hex digits. */
  readonly mac: string
  /** Board of a bound device. Unbound devices use the default group. */
  readonly board: string | undefined
  readonly ip: string
}

const DEFAULT_GROUP = 'GID_default'

/** Returns the connection settings of a device at the gateway. */
export function buildMqttSettings({ endpoint, signatureKey }: MqttGateway, { mac, board, ip }: GatewayClient) {
  const macPart = formatMac(mac, '_')
  const clientId = `${(board ?? DEFAULT_GROUP).replaceAll(':', '_')}@@@${macPart}@@@${macPart}`
  const username = Buffer.from(JSON.stringify({ ip })).toString('base64')
  return {
    endpoint,
    client_id: clientId,
    username,
    password: createHmac('sha256', signatureKey).update(`${clientId}|${username}`).digest('base64'),
    publish_topic: 'device-server',
    subscribe_topic: `devices/p2p/${macPart}`,
  }
}
