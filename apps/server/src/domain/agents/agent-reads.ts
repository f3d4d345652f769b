import type { Pool } from 'pg'
import { AgentVoices } from './agent-voices.ts'
import { DeviceAgents } from './device-agent.ts'
import { ServerModels } from './server-models.ts'

/** Reads for the configurations of devices. Calls of one process that arrive together share the statements. */
export class AgentReads {
  readonly devices: DeviceAgents
  readonly models: ServerModels
  readonly voices: AgentVoices

  constructor(pool: Pool, secretKey: Buffer) {
    this.devices = new DeviceAgents(pool, secretKey)
    this.models = new ServerModels(pool, secretKey)
    this.voices = new AgentVoices(pool)
  }
}
