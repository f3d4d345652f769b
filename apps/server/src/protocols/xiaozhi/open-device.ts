import type { Pool } from 'pg'

/** A bound, enabled device of an enabled tenant with an enabled agent. */
export interface OpenDevice {
  readonly deviceId: number
  readonly tenantId: number
  readonly agentId: number
  /** Twelve hex digits. */
  readonly mac: string
  readonly sn: string
}

const READ = `select d.device_id as "deviceId", d.tenant_id as "tenantId", d.agent_id as "agentId", d.mac, x.sn
  from agent_devices d
    join devices x on x.id = d.device_id and x.deleted_at is null and x.status = 1
    join tenants t on t.id = d.tenant_id and t.deleted_at is null and t.status = 1
    join agents a on a.id = d.agent_id and a.deleted_at is null and a.status = 1
  where d.device_id = $1 and d.agent_id = $2`

/**
 * Returns the device of a key that names device and agent. Returns undefined when the device was unbound, moved or
 * disabled since the key was issued. Returns undefined when its tenant or agent was disabled.
 */
export async function findDeviceOfKey(
  pool: Pool,
  { deviceId, agentId }: { readonly deviceId: number; readonly agentId: number },
): Promise<OpenDevice | undefined> {
  const { rows } = await pool.query<OpenDevice>({ name: 'agent-open-device', text: READ, values: [deviceId, agentId] })
  return rows[0]
}
