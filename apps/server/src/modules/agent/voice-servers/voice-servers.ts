import type { Config } from '#core/config/config.ts'
import type { Database } from '#core/database/client.ts'
import type { Logger } from 'pino'
import type { AgentParameters } from '../parameters/parameters.ts'
import { AgentReads } from '../agents/agent-reads.ts'
import { VoiceConnectionWriter } from '../devices/voice-connection-writer.ts'
import { EventWriter } from '../devices/event-writer.ts'
import { DeliveredReminderWriter } from '../history/delivered-reminder-writer.ts'
import { GatewayStatus } from './gateway-status.ts'
import { ServerContacts } from './server-contacts.ts'
import { TurnWriter } from '../history/turn-writer.ts'

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
