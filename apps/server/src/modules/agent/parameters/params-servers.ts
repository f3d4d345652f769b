import { type agentParams as calls, SERVER_ACTION } from '@oms/contract/agent/parameters/params.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, desc, eq, gt, sql } from 'drizzle-orm'
import { invalid, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { OutboundError } from '#core/outbound/outbound.ts'
import { PLATFORM_TENANT_ID, scoped, transact } from '#core/tenancy/tenancy.ts'
import { checkServerConnection, sendServerAction } from '../voice-servers/server-action.ts'
import { readServerAddresses } from '../voice-servers/server-addresses.ts'
import { agentDevices, agentServers } from '../schema/agent-device.ts'
import { buildParamRecord, resolveTenantForChange, resolveParameterTenant } from './params.ts'

const MAX_CONTACTS = 50
const CONTACT_DAYS = 30

/** Returns the addresses of a tenant's voice servers, and whether the servers accept the tenant's own secret. */
const addressesOf = ({ services, db }: Pick<Ctx, 'services' | 'db'>, tenantId: number) =>
  readServerAddresses(services, db, tenantId)

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
    ...(await addressesOf(ctx, tenantId)),
    openSessions: open.reduce((sum, { n }) => sum + n, 0),
    contacts: contacts.map((each) => ({ ...each, sessions: sessionsOf(each.address, each.client) })),
  }
}

export async function checkServerReachable(ctx: Ctx, { tenantId: asked }: ParsedOf<typeof calls.reach>) {
  const { tenantId, addresses } = await transact(ctx, async (db) => {
    const tenant = await resolveParameterTenant(db, ctx.user, asked)
    return { ...tenant, ...(await addressesOf({ services: ctx.services, db }, tenant.tenantId)) }
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
    return { ...tenant, ...(await addressesOf({ services, db }, tenant.tenantId)) }
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
