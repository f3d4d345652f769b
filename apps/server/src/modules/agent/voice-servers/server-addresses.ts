import { splitVoiceServerAddresses } from '@oms/contract/agent/parameters/param-list.ts'
import { and, eq } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Services } from '#core/services.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { agentSecrets } from '../schema/agent-model.ts'
import { PARAM_SECRET_OWNER_KIND, SERVER_SECRET_CODE } from '../parameters/parameters.ts'

/**
 * Returns the addresses of a tenant's own voice servers. `mayAct` is true when the servers accept the tenant's own
 * secret. OMS sends a secret only to addresses of the tenant that owns the secret.
 */
export async function readServerAddresses(
  { agentParameters }: Pick<Services, 'agentParameters'>,
  db: Db,
  tenantId: number,
) {
  const params = await agentParameters.of(tenantId)
  const addresses = splitVoiceServerAddresses(params.text('server.websocket'))
  if (tenantId === PLATFORM_TENANT_ID) return { addresses, mayAct: true }
  const platform = await agentParameters.of(PLATFORM_TENANT_ID)
  const isOwn = params.text('server.websocket') !== platform.text('server.websocket')
  const secrets = await db.$count(
    agentSecrets,
    and(
      eq(agentSecrets.ownerKind, PARAM_SECRET_OWNER_KIND),
      eq(agentSecrets.ownerId, tenantId),
      eq(agentSecrets.field, SERVER_SECRET_CODE),
    ),
  )
  return { addresses: isOwn ? addresses : [], mayAct: isOwn && secrets > 0 }
}
