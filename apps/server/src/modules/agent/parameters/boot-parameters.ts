import type { Services } from '#core/services.ts'
import { SERVER_SECRET_CODE } from './parameters.ts'

/** Parameters of a tenant for the responses to its devices. */
export interface BootParameters {
  readonly secret: string
  readonly isAuthEnabled: boolean
  /** Addresses of voice servers, separated by semicolons; empty for the default. */
  readonly websocket: string
  /** Address of the console that a device shows with its code; empty for the called address. */
  readonly consoleUrl: string
  /** MQTT gateway; undefined unless its address and its key are set. */
  readonly gateway: { readonly endpoint: string; readonly signatureKey: string } | undefined
  /** True when a device with another Client-Id gets no token. */
  readonly refusesOtherIdentity: boolean
}

/** Returns the parameters of a tenant. */
export async function readBootParameters({ agentParameters }: Services, tenantId: number): Promise<BootParameters> {
  const values = await agentParameters.of(tenantId)
  const [endpoint, signatureKey] = [values.text('server.mqtt_gateway'), values.text('server.mqtt_signature_key')]
  return {
    secret: values.text(SERVER_SECRET_CODE),
    isAuthEnabled: values.isOn('server.auth.enabled'),
    websocket: values.text('server.websocket'),
    consoleUrl: values.text('server.fronted_url'),
    gateway: endpoint && signatureKey ? { endpoint, signatureKey } : undefined,
    refusesOtherIdentity: values.text('device.identity') === '1',
  }
}
