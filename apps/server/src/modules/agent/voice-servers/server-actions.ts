import { randomUUID, createHmac } from 'node:crypto'
import { splitVoiceServerAddresses } from '@oms/contract/agent/parameters/param-list.ts'
import {
  type agentParams as calls,
  SERVER_ACTION,
  type VoiceServerAction,
} from '@oms/contract/agent/parameters/params.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, desc, eq, gt, sql } from 'drizzle-orm'
import { invalid, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { selectAddressPolicy } from '#core/outbound/address-policy.ts'
import { OutboundError } from '#core/outbound/outbound.ts'
import { callSocket } from '#core/outbound/socket-call.ts'
import type { Services } from '#core/services.ts'
import { PLATFORM_TENANT_ID, scoped, transact } from '#core/tenancy/tenancy.ts'
import { PARAM_SECRET_OWNER_KIND, SERVER_SECRET_CODE } from '../parameter-values.ts'
import { buildParamRecord, resolveTenantForChange, resolveParameterTenant } from '../parameter.ts'
import { agentDevices, agentServers } from '../schema/agent-device.ts'
import { agentSecrets } from '../schema/agent-model.ts'

const MAX_CONTACTS = 50
const CONTACT_DAYS = 30

export async function listServers(ctx: Ctx, { tenantId: asked }: ParsedOf<typeof calls.servers>) {
  const { db, user } = ctx
  const { tenantId } = await resolveParameterTenant(db, user, asked)
  const { address, client, firstTime, lastTime, baseTime } = agentServers
  const contacts = await db
    .select({ address, client, firstTime, lastTime, baseTime })
    .from(agentServers)
    .where(
      and(
        eq(agentServers.tenantId, tenantId),
        gt(agentServers.lastTime, sql`now() - make_interval(days => ${CONTACT_DAYS})`),
      ),
    )
    .orderBy(desc(agentServers.lastTime))
    .limit(MAX_CONTACTS)
  const isOpen = and(
    sql`${agentDevices.sessionId} <> ''`,
    gt(agentDevices.turnTime, sql`now() - interval '10 minutes'`),
  )
  const ofTenant =
    tenantId === PLATFORM_TENANT_ID
      ? scoped(user, { tenant: agentDevices.tenantId })
      : eq(agentDevices.tenantId, tenantId)
  const { serverAddress, serverClient } = agentDevices
  const open = await db
    .select({ serverAddress, serverClient, n: sql<number>`count(*)::int` })
    .from(agentDevices)
    .where(and(isOpen, ofTenant))
    .groupBy(serverAddress, serverClient)
  const sessionsOf = (address: string, client: string) =>
    open.find((each) => each.serverAddress === address && each.serverClient === client)?.n ?? 0
  return {
    ...(await readServerAddresses(ctx, tenantId)),
    openSessions: open.reduce((sum, { n }) => sum + n, 0),
    contacts: contacts.map((each) => ({ ...each, sessions: sessionsOf(each.address, each.client) })),
  }
}

export async function checkServerReachable(ctx: Ctx, { tenantId: asked }: ParsedOf<typeof calls.reach>) {
  const { tenantId, addresses } = await transact(ctx, async (db) => {
    const tenant = await resolveParameterTenant(db, ctx.user, asked)
    return { ...tenant, ...(await readServerAddresses({ services: ctx.services, db }, tenant.tenantId)) }
  })
  const list = addresses.map(async (address) => {
    try {
      await checkServerConnection(ctx.services, { tenantId, address })
      return { address, isReachable: true, words: '可以连接' }
    } catch (error) {
      return { address, isReachable: false, words: error instanceof OutboundError ? error.message : '不能连接' }
    }
  })
  return { list: await Promise.all(list) }
}

/**
 * Sends an action to a voice server. Holds no transaction, because the voice server reads its configuration from OMS
 * before it confirms.
 */
export async function sendAction(ctx: Ctx, { tenantId: asked, address, action }: ParsedOf<typeof calls.act>) {
  const { services } = ctx
  const target = await transact(ctx, async (db) => {
    const tenant = await resolveTenantForChange(db, ctx.user, asked)
    return { ...tenant, ...(await readServerAddresses({ services, db }, tenant.tenantId)) }
  })
  // The secret is sent only to an address of the tenant whose secret it is.
  if (!target.addresses.includes(address)) throw invalid('没有这个语音服务地址', 'address')
  if (!target.mayAct) throw refused('请先设置自己的语音服务密钥')
  const { tenantId, tenantName } = target
  ctx.audit({
    ...buildParamRecord(tenantId, 'server.websocket'),
    action: `${SERVER_ACTION[action]}「${tenantName}」的语音服务 ${address}`,
  })
  try {
    return { words: await sendServerAction(services, { tenantId, address }, action) }
  } catch (error) {
    throw refused(`语音服务没有完成操作：${error instanceof OutboundError ? error.message : '不能连接'}`)
  }
}

/**
 * Returns the addresses of a tenant's own voice servers. `mayAct` is true when the servers accept the tenant's own
 * secret. OMS sends a secret only to addresses of the tenant that owns the secret.
 */
async function readServerAddresses({ services, db }: Pick<Ctx, 'services' | 'db'>, tenantId: number) {
  const { agentParameters } = services
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

const LIMITS = { connectMs: 3000, responseMs: 120_000 }
/** Stores a temporary id. The voice server requests its configuration with this id while the action runs. */
const INSERT = `insert into challenges (id, kind, answer_hash, expire_time) values ($1, 'voice-action', ''::bytea, now() + interval '5 minutes')`

interface Target {
  readonly tenantId: number
  readonly address: string
}

async function socketOf(services: Services, { tenantId, address }: Target) {
  const secret = (await services.agentParameters.of(tenantId)).text(SERVER_SECRET_CODE)
  const ids = { deviceId: randomUUID(), clientId: randomUUID() }
  const headers = {
    'device-id': ids.deviceId,
    'client-id': ids.clientId,
    authorization: `Bearer ${createAccessToken(secret, ids, Date.now())}`,
  }
  const policy = selectAddressPolicy(services.config, tenantId === PLATFORM_TENANT_ID ? 'platform' : 'tenant')
  return { secret, ids, call: { url: address, headers, policy, ...LIMITS } }
}

/**
 * Sends an action to a voice server: read the configuration again, or restart. Holds no transaction, because the server
 * calls OMS before it confirms. Throws `OutboundError` when the server does not confirm.
 */
export async function sendServerAction(
  services: Services,
  target: Target,
  action: VoiceServerAction,
  limits: Partial<typeof LIMITS> = {},
): Promise<string> {
  const { secret, ids, call } = await socketOf(services, target)
  await services.database.pool.query(INSERT, [ids.deviceId])
  const answer = await callSocket({
    ...call,
    ...limits,
    messages: [JSON.stringify({ type: 'server', action, content: { secret } })],
    parseResponse: (message) => confirmation(message, action),
  })
  if (!answer?.isGood) throw new OutboundError('connection', answer?.words || '语音服务没有执行')
  return answer.words
}

/** Parses the confirmation of the server. Returns undefined for frames of the voice protocol. */
function confirmation(text: string, action: VoiceServerAction) {
  let frame: unknown
  try {
    frame = JSON.parse(text)
  } catch {
    return undefined
  }
  const { type, status, message, content } = (frame ?? {}) as Record<string, unknown>
  if (type !== 'server') return undefined
  const acted = (content as Record<string, unknown> | undefined)?.['action']
  if (status === 'success' && acted !== action) return undefined
  return { isGood: status === 'success', words: String(message ?? '').slice(0, 200) }
}

/** Opens and closes a connection to a voice server. Throws `OutboundError` when the server cannot be reached. */
async function checkServerConnection(services: Services, target: Target): Promise<void> {
  const { call } = await socketOf(services, target)
  await callSocket(call)
}

/** Identifiers of a voice connection, exactly as in its headers `Client-Id` and `Device-Id`. */
interface ConnectionIds {
  readonly clientId: string
  readonly deviceId: string
}

/**
 * Returns the token of a voice connection: a signature and the second of its creation. Voice servers check the
 * signature with the same secret (`core/auth.py` of xiaozhi-esp32-server).
 */
export function createAccessToken(secret: string, { clientId, deviceId }: ConnectionIds, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000)
  const signature = createHmac('sha256', secret).update(`${clientId}|${deviceId}|${seconds}`).digest('base64url')
  return `${signature}.${seconds}`
}
