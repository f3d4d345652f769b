import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Config } from '#core/config/config.ts'
import type { Database } from '#core/database/client.ts'
import { DelayedWrite } from '#core/database/statements/delayed-write.ts'
import { isolateRows } from '#core/database/statements/rows.ts'
import { DeviceAgents } from '../agents/device-agent.ts'
import { EnabledAgentDevices } from '../devices/bound-devices.ts'
import { EventWriter } from '../devices/device-events.ts'
import { VoiceConnectionWriter } from '../devices/voice-connection.ts'
import { DeliveredReminderWriter } from '../history/reminder.ts'
import { TurnWriter } from '../history/turn-writer.ts'
import { CheapestModels } from '../models/open-models.ts'
import { OpenPacks } from '../orders/open-packs.ts'
import type { AgentParameters } from '../parameter-values.ts'
import { AgentVoices } from '../voices/voice.ts'
import { GatewayStatus } from './gateway.ts'
import { ServerModels } from './server-config.ts'

declare module '#core/services.ts' {
  interface ServiceExtensions {
    readonly voiceServers: VoiceServers
  }
}

interface Parts {
  readonly database: Pick<Database, 'db' | 'pool'>
  readonly log: Logger
  readonly config: Config
  readonly agentParameters: AgentParameters
}

/** Services of one process for the calls of voice servers. */
export class VoiceServers {
  readonly contacts: ServerContacts
  readonly marks: VoiceConnectionWriter
  readonly reminders: DeliveredReminderWriter
  readonly events: EventWriter
  readonly turns: TurnWriter
  readonly reads: AgentReads
  readonly gateways: GatewayStatus

  constructor({ database, log, config, agentParameters }: Parts) {
    const { pool } = database
    this.contacts = new ServerContacts(pool, log)
    this.marks = new VoiceConnectionWriter(pool, log)
    this.reminders = new DeliveredReminderWriter(pool, log)
    this.events = new EventWriter(database, log)
    this.turns = new TurnWriter({ pool, parameters: agentParameters, secretKey: config.secretKey })
    this.reads = new AgentReads(pool, config.secretKey)
    this.gateways = new GatewayStatus({ config, agentParameters, log })
  }

  async close() {
    await this.turns.written()
    await this.contacts.flush()
    await this.marks.flush()
    await this.reminders.flush()
    await this.events.flush()
  }
}

/** Batched reads for the configurations of devices. Simultaneous calls of one process share the statements. */
export class AgentReads {
  readonly devices: DeviceAgents
  readonly enabledDevices: EnabledAgentDevices
  readonly models: ServerModels
  readonly voices: AgentVoices
  readonly packs: OpenPacks
  readonly cheapest: CheapestModels

  constructor(pool: Pool, secretKey: Buffer) {
    this.devices = new DeviceAgents(pool, secretKey)
    this.enabledDevices = new EnabledAgentDevices(pool)
    this.models = new ServerModels(pool, secretKey)
    this.voices = new AgentVoices(pool)
    this.packs = new OpenPacks(pool)
    this.cheapest = new CheapestModels(pool)
  }
}

/** Minimum time between two stored calls of one server. */
const EVERY_MS = 30_000
const FLUSH_MS = 5000
/**
 * Maximum number of servers in memory. A restarted server counts as a new server, because its name contains the process
 * id.
 */
const MAX_STORED_CONTACTS = 5000
const STORE = `insert into agent_servers as s (tenant_id, address, client, last_time, base_time)
  select tenant_id, address, client, now(), case when base then now() end
  from unnest($1::int[], $2::text[], $3::text[], $4::bool[]) as u (tenant_id, address, client, base)
  order by 1, 2, 3
  on conflict (tenant_id, address, client) do update set last_time = now(), base_time = coalesce(excluded.base_time, s.base_time)`

/** Returns the address of a caller as it is stored: an IPv4 address without the prefix of IPv6. */
export const normalizeServerAddress = (ip: string) => ip.replace(/^::ffff:/, '').slice(0, 45)

interface ServerContact {
  /** Tenant of the secret. */
  readonly tenantId: number
  readonly address: string
  /** User-Agent. */
  readonly client: string
  /** True for a request of the base configuration. */
  readonly isBase: boolean
}

/** Stores which voice servers called, and when. Writes the calls of a few seconds with one statement. */
class ServerContacts {
  readonly #pool: Pool
  readonly #log: Logger
  readonly #stored = new Map<string, number>()
  readonly #waiting = new Map<string, ServerContact>()
  readonly #delayed: DelayedWrite

  constructor(pool: Pool, log: Logger) {
    this.#pool = pool
    this.#log = log
    this.#delayed = new DelayedWrite(FLUSH_MS, () => this.#write(), log, 'calls of voice servers not stored')
  }

  note(contact: ServerContact, now: number) {
    const key = `${contact.tenantId} ${contact.address} ${contact.client}`
    if (!contact.isBase && now - (this.#stored.get(key) ?? 0) < EVERY_MS) return
    if (this.#stored.size >= MAX_STORED_CONTACTS) this.#stored.clear()
    this.#stored.set(key, now)
    const isBase = contact.isBase || this.#waiting.get(key)?.isBase === true
    this.#waiting.set(key, { ...contact, isBase })
    this.#delayed.schedule()
  }

  /** Writes the waiting calls. */
  flush() {
    return this.#delayed.flush()
  }

  async #write() {
    const rows = [...this.#waiting.values()]
    this.#waiting.clear()
    if (rows.length === 0) return
    await isolateRows(
      rows,
      (some) => this.#store(some),
      ({ tenantId }, err) => this.#log.warn({ err, tenantId }, 'call of a voice server dropped'),
    )
  }

  async #store(rows: readonly ServerContact[]) {
    await this.#pool.query(STORE, [
      rows.map(({ tenantId }) => tenantId),
      rows.map(({ address }) => address),
      rows.map(({ client }) => client),
      rows.map(({ isBase }) => isBase),
    ])
  }
}
