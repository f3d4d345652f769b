import type { Pool } from 'pg'
import { decrypt } from '#core/crypto/encrypted-value.ts'
import type { AgentOfDevice } from './agent-of-device.ts'
import { getsCandidate } from './agent-of-device.ts'
import { withSecrets } from './agent-secrets.ts'
import type { Speaker } from './agent-config.ts'

interface Row {
  readonly code: string | null
  readonly deviceId: number | null
  readonly tenantId: number
  readonly memory: string
  readonly isOpen: boolean
  readonly agent: Record<string, unknown> | null
  readonly snapshot: Partial<AgentOfDevice> | null
  readonly secrets: Record<string, string> | null
  readonly speakers: readonly Speaker[] | null
}

/** A bound device with its agent, in the version that the device gets. */
export interface DeviceAgent {
  readonly deviceId: number
  readonly tenantId: number
  /** Memory of the device. */
  readonly memory: string
  /** False for a disabled device and for a disabled tenant. */
  readonly isOpen: boolean
  /** Undefined when the agent was deleted. */
  readonly agent: AgentOfDevice | undefined
  readonly speakers: readonly Speaker[]
}

const READ = `select c.code, d.device_id as "deviceId", d.tenant_id as "tenantId", d.memory,
    x.status = 1 and t.status = 1 as "isOpen", to_jsonb(a) as agent, v.snapshot,
    (select jsonb_object_agg(s.field, s.encrypted) from agent_secrets s where s.owner_kind = 2 and s.owner_id = a.id) as secrets,
    (select jsonb_agg(jsonb_build_object('id', p.id, 'name', p.name, 'introduction', p.introduction) order by p.id)
      from agent_voiceprints p where p.agent_id = a.id) as speakers
  from (select $1::varchar as mac) m
    left join agent_devices d on d.mac = m.mac
    left join agent_codes c on c.mac = m.mac and c.expire_time > now() and d.mac is null
    left join devices x on x.id = d.device_id and x.deleted_at is null
    left join tenants t on t.id = d.tenant_id and t.deleted_at is null
    left join agents a on a.id = d.agent_id and a.deleted_at is null
    left join agent_versions v on v.agent_id = a.id and v.version_no = a.candidate_no`

/**
 * Returns the bound device with this MAC (twelve hex digits), or the valid code of an unbound device, with one
 * statement.
 */
export async function deviceAgentOf(
  pool: Pool,
  secretKey: Buffer,
  mac: string,
): Promise<{ readonly device: DeviceAgent | undefined; readonly code: string | undefined }> {
  const { rows } = await pool.query<Row>({ name: 'agent-of-mac', text: READ, values: [mac] })
  const row = rows[0]!
  if (row.deviceId === null) return { device: undefined, code: row.code ?? undefined }
  const { deviceId, tenantId, memory, isOpen, speakers } = row
  const device = {
    deviceId,
    tenantId,
    memory,
    isOpen,
    speakers: speakers ?? [],
    agent: agentOf(row, secretKey, deviceId),
  }
  return { device, code: undefined }
}

/** Returns the agent with the behaviour of the version that the device gets. */
function agentOf({ agent, snapshot, secrets }: Row, secretKey: Buffer, deviceId: number): AgentOfDevice | undefined {
  if (!agent) return undefined
  const current = Object.fromEntries(
    Object.entries(agent).map(([name, value]) => [camelCase(name), value]),
  ) as unknown as AgentOfDevice
  const isCandidate = snapshot !== null && getsCandidate(current, deviceId)
  const merged = isCandidate ? { ...current, ...snapshot, versionNo: current.candidateNo! } : current
  const opened = new Map(Object.entries(secrets ?? {}).map(([field, text]) => [field, decrypt(secretKey, text)]))
  return { ...merged, ...withSecrets(merged, opened) }
}

const camelCase = (name: string) => name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
