import type { Pool } from 'pg'
import { BatchedRead } from '#core/database/statements/batched-read.ts'

/** A bound, enabled device of an enabled tenant with an enabled agent. */
export interface EnabledAgentDevice {
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
  where d.device_id = any($1::int[])`

/**
 * Reads enabled devices by id. Caches nothing. Simultaneous calls share a statement, so hundreds of completions that
 * start together do not delay the queries of other calls.
 */
export class EnabledAgentDevices {
  readonly #devices: BatchedRead<number, EnabledAgentDevice, EnabledAgentDevice>

  constructor(pool: Pool) {
    const read = async (ids: readonly number[]) => {
      const { rows } = await pool.query<EnabledAgentDevice>({
        name: 'agent-enabled-devices',
        text: READ,
        values: [ids],
      })
      return new Map(rows.map((row) => [row.deviceId, row]))
    }
    this.#devices = new BatchedRead({ read, valueOf: (row) => Object.freeze(row) })
  }

  /**
   * Returns the device of a key that names device and agent. Returns undefined when the device was unbound, moved or
   * disabled since the key was issued. Returns undefined when its tenant or agent was disabled.
   */
  async ofKey({
    deviceId,
    agentId,
  }: Pick<EnabledAgentDevice, 'deviceId' | 'agentId'>): Promise<EnabledAgentDevice | undefined> {
    const device = await this.#devices.get(deviceId)
    return device?.agentId === agentId ? device : undefined
  }
}
