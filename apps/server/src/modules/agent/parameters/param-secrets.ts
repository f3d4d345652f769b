import { agentParams as contract } from '@oms/contract/agent/parameters/params.ts'
import { and, eq } from 'drizzle-orm'
import { invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { findChangedOrigin } from '../kept-secrets.ts'
import { PARAM_SECRET_OWNER_KIND, SERVER_SECRET_CODE } from './parameters.ts'
import { agentSecrets } from '../schema/agent-model.ts'

/** Addresses to which OMS sends a stored secret, with the secret and its Chinese name. */
const SENT_TO: Readonly<Record<string, readonly [code: string, name: string]>> = {
  'server.websocket': [SERVER_SECRET_CODE, '语音服务密钥'],
  'server.mqtt_manager_api': ['server.mqtt_signature_key', 'MQTT 网关签名密钥'],
}

/**
 * Refuses a new host that would receive the stored secret of a tenant, unless the account may read the secret anyway.
 */
export async function assertSecretReceiver(
  { db, user, services }: Ctx,
  tenantId: number,
  { code, value }: { readonly code: string; readonly value: string },
) {
  const [secret, name] = SENT_TO[code] ?? []
  if (secret === undefined || value === '' || user.can(contract.reveal.access)) return
  const before = (await services.agentParameters.of(tenantId)).text(code)
  if (findChangedOrigin({ host: before }, { host: value }) === undefined) return
  const isStored = and(
    eq(agentSecrets.ownerKind, PARAM_SECRET_OWNER_KIND),
    eq(agentSecrets.ownerId, tenantId),
    eq(agentSecrets.field, secret),
  )
  if ((await db.$count(agentSecrets, isStored)) > 0)
    throw invalid(`新的地址会收到已保存的${name}（${secret}），请由有“查看密钥”权限的账号修改`, 'value')
}
