import { and, eq } from 'drizzle-orm'
import type { Pool } from 'pg'
import { decrypt } from '#core/crypto/keys.ts'
import type { Db } from '#core/database/client.ts'
import { BatchedRead } from '#core/database/statements/batched-read.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { DUE_REMINDERS, type DueReminder } from '../history/reminder.ts'
import { agentDevices } from '../schema/agent-device.ts'
import { agents, agentVersions } from '../schema/agent.ts'
import { readSecrets, SECRET_OWNER } from '../secrets.ts'
import type { Speaker } from './agent-config.ts'
import { mergeSecrets, type StoredBehaviour, type VersionSnapshot } from './agent-secrets.ts'

interface Row {
  /** MAC that the caller requested. */
  readonly asked: string
  readonly code: string | null
  readonly deviceId: number | null
  readonly tenantId: number
  readonly clientId: string
  readonly memory: string
  readonly isOpen: boolean
  readonly agent: Record<string, unknown> | null
  readonly secrets: Record<string, string> | null
  readonly speakers: readonly Speaker[] | null
  readonly reminders: readonly DueReminder[] | null
}

/** A bound device and its agent. */
export interface DeviceAgent {
  readonly deviceId: number
  readonly tenantId: number
  /** Client-Id of the binding; empty until the first boot. */
  readonly clientId: string
  /** Memory of the device. */
  readonly memory: string
  /** False for a disabled device and for a disabled tenant. */
  readonly isOpen: boolean
  /** Undefined when the agent was deleted. */
  readonly agent: AgentOfDevice | undefined
  readonly speakers: readonly Speaker[]
  /** Due reminders for this conversation. */
  readonly reminders: readonly DueReminder[]
}

const READ = `select m.mac as asked, c.code, d.device_id as "deviceId", d.tenant_id as "tenantId", d.client_id as "clientId", d.memory,
    x.status = 1 and t.status = 1 as "isOpen", to_jsonb(a) as agent,
    (select jsonb_object_agg(s.field, s.encrypted) from agent_secrets s where s.owner_kind = 2 and s.owner_id = a.id) as secrets,
    (select jsonb_agg(jsonb_build_object('id', p.id, 'name', p.name, 'introduction', p.introduction) order by p.id)
      from agent_voiceprints p where p.agent_id = a.id) as speakers,
    ${DUE_REMINDERS} as reminders
  from unnest($1::varchar[]) as m (mac)
    left join agent_devices d on d.mac = m.mac
    left join agent_codes c on c.mac = m.mac and c.expire_time > now() and d.mac is null
    left join devices x on x.id = d.device_id and x.deleted_at is null
    left join tenants t on t.id = d.tenant_id and t.deleted_at is null
    left join agents a on a.id = d.agent_id and a.deleted_at is null`

/** A MAC address with its bound device, or with the valid code of an unbound device. */
interface AgentOfMac {
  readonly device: DeviceAgent | undefined
  readonly code: string | undefined
}

const NOTHING: AgentOfMac = { device: undefined, code: undefined }

/**
 * Reads bound devices with their agents by MAC. Caches nothing, so an edit applies at the next connection. Simultaneous
 * calls share a statement. Needs a session without row-level security for the secrets.
 */
export class DeviceAgents {
  readonly #found: BatchedRead<string, Row, AgentOfMac>

  constructor(pool: Pool, secretKey: Buffer) {
    const read = async (macs: readonly string[]) => {
      const { rows } = await pool.query<Row>({ name: 'agents-of-macs', text: READ, values: [macs] })
      return new Map(rows.map((row) => [row.asked, row]))
    }
    this.#found = new BatchedRead({ read, valueOf: (row) => deviceOf(row, secretKey) })
  }

  /** `mac` has twelve lower-case hex digits. */
  async of(mac: string): Promise<AgentOfMac> {
    return (await this.#found.get(mac)) ?? NOTHING
  }
}

function deviceOf(row: Row, secretKey: Buffer): AgentOfMac {
  const { deviceId, tenantId, clientId, memory, isOpen, code } = row
  if (deviceId === null) return { device: undefined, code: code ?? undefined }
  const agent = agentOf(row, secretKey)
  const [speakers, reminders] = [row.speakers ?? [], row.reminders ?? []]
  return { device: { deviceId, tenantId, clientId, memory, isOpen, speakers, reminders, agent }, code: undefined }
}

function agentOf({ agent, secrets }: Row, secretKey: Buffer): AgentOfDevice | undefined {
  if (!agent) return undefined
  const current = Object.fromEntries(
    Object.entries(agent).map(([name, value]) => [camelCase(name), value]),
  ) as unknown as AgentOfDevice
  const opened = new Map(Object.entries(secrets ?? {}).map(([field, text]) => [field, decrypt(secretKey, text)]))
  return { ...current, ...mergeSecrets(current, opened) }
}

const names = new Map<string, string>()

/** Returns the property name of a column. Caches the names, because every call converts all columns of an agent. */
function camelCase(column: string): string {
  const known = names.get(column)
  if (known !== undefined) return known
  const name = column.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  names.set(column, name)
  return name
}

export type AgentOfDevice = Omit<typeof agents.$inferSelect, keyof StoredBehaviour> & StoredBehaviour

/**
 * Returns the agent of a bound device. Returns undefined when the agent is deleted. Caches nothing, so an edit applies
 * at the next connection. Needs a session without row-level security for the secrets.
 */
export async function resolveAgentOfDevice(
  db: Db,
  secretKey: Buffer,
  deviceId: number,
): Promise<AgentOfDevice | undefined> {
  const [found] = await db
    .select({ agent: agents })
    .from(agentDevices)
    .innerJoin(agents, eq(agents.id, agentDevices.agentId))
    .where(and(eq(agentDevices.deviceId, deviceId), notDeleted(agents)))
  if (!found) return undefined
  const { agent } = found
  const opened = await readSecrets(db, secretKey, SECRET_OWNER.agent, [agent.id])
  return { ...agent, ...mergeSecrets(agent, opened.get(agent.id) ?? new Map<string, string>()) }
}

/** Returns the snapshot of a version, or undefined when the version was removed. */
export async function readVersionSnapshot(
  db: Db,
  agentId: number,
  versionNo: number,
): Promise<VersionSnapshot | undefined> {
  const [found] = await db
    .select({ snapshot: agentVersions.snapshot })
    .from(agentVersions)
    .where(and(eq(agentVersions.agentId, agentId), eq(agentVersions.versionNo, versionNo)))
  return found?.snapshot as VersionSnapshot | undefined
}
