import { readServerBaseConfig } from '../../../voice-servers/server-base.ts'
import { CallRefusedError, RESPONSE_CODE } from '../envelope.ts'
import type { ServerCall } from './server-call.ts'

/** `POST config/server-base`: returns the configuration for the start of a voice server. */
export async function getServerBaseConfig({ side, serverTenant }: Pick<ServerCall, 'side' | 'serverTenant'>) {
  const { agentParameters, database, voiceServers } = side.services
  const base = await readServerBaseConfig({
    pool: database.pool,
    models: voiceServers.reads.models,
    params: await agentParameters.forServer(serverTenant, serverTenant),
    tenantId: serverTenant,
  })
  if (!base) throw new CallRefusedError(RESPONSE_CODE.noTemplate, '没有默认的智能体模板')
  return base
}
