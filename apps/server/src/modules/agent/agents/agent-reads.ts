import type { Pool } from 'pg'
import { AgentVoices } from '../voices/agent-voices.ts'
import { CheapestModels } from '../models/cheapest-model.ts'
import { DeviceAgents } from './device-agent.ts'
import { EnabledAgentDevices } from '../devices/enabled-agent-devices.ts'
import { OpenPacks } from '../orders/open-packs.ts'
import { ServerModels } from '../voice-servers/server-models.ts'

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
