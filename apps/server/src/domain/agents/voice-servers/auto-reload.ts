import { randomUUID } from 'node:crypto'
import { and, eq, or, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Services } from '#core/services.ts'
import { notDeleted, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { agentTemplates } from '#schema/agent/agent.ts'
import { agentParams } from '#schema/agent/agent-device.ts'
import { readServerAddresses } from './server-addresses.ts'
import { sendServerAction } from './server-action.ts'
import { buildSpeechModelsQuery } from './server-base.ts'

const QUEUE = 'agent-reload'
const SWITCH = 'server.auto_reload'
/** Row of `agent_params` with the id of the last change. The parameter screen does not show the row. */
const LAST_CHANGE = 'server.auto_reload.change'
const DELAY_SECONDS = 5
/** The servers of a tenant reload in parallel. One action takes 120 s at most. */
const TIME_LIMIT_SECONDS = 600

/**
 * Schedules a reload of a tenant's voice servers 5 s after the last change of their base configuration. Does nothing
 * unless `server.auto_reload` is true for the tenant. A change of the platform is also scheduled when any tenant has
 * the switch on.
 */
export async function scheduleReload(db: Db, { agentParameters, jobs }: Services, tenantId: number) {
  const isOn = (await agentParameters.of(tenantId)).isOn(SWITCH)
  if (!isOn && !(tenantId === PLATFORM_TENANT_ID && (await isOnAnywhere(db)))) return
  const changeId = randomUUID()
  await db
    .insert(agentParams)
    .values({ tenantId, code: LAST_CHANGE, value: changeId })
    .onConflictDoUpdate({ target: [agentParams.tenantId, agentParams.code], set: { value: changeId } })
  await jobs.sendMessage(db, QUEUE, { tenantId, changeId } satisfies Change, { startAfter: DELAY_SECONDS })
}

const speechModelsOf = async (db: Db, tenantId: number) =>
  JSON.stringify((await db.execute(sql.raw(buildSpeechModelsQuery(tenantId)))).rows)

/** Runs a change of a tenant's templates. Schedules a reload when the change replaces the default VAD or ASR model. */
export async function reloadWhenModelsChange<T>(
  { db, services }: { readonly db: Db; readonly services: Services },
  tenantId: number,
  change: () => Promise<T>,
): Promise<T> {
  const before = await speechModelsOf(db, tenantId)
  const changed = await change()
  if ((await speechModelsOf(db, tenantId)) !== before) await scheduleReload(db, services, tenantId)
  return changed
}

/** Schedules a reload after a change of a VAD or ASR model that a template uses. */
export async function reloadAfterModel(
  { db, services }: { readonly db: Db; readonly services: Services },
  { id, tenantId }: { readonly id: number; readonly tenantId: number },
) {
  const isNamed = or(eq(agentTemplates.vadId, id), eq(agentTemplates.asrId, id))
  if ((await db.$count(agentTemplates, and(notDeleted(agentTemplates), isNamed))) > 0)
    await scheduleReload(db, services, tenantId)
}

/** Returns whether any tenant has the switch on. The servers of such a tenant also read values of the platform. */
const isOnAnywhere = async (db: Db) =>
  (await db.$count(agentParams, and(eq(agentParams.code, SWITCH), eq(agentParams.value, 'true')))) > 0

interface Change {
  readonly tenantId: number
  readonly changeId: string
}

/** Registers the job that reloads voice servers after a change. A failed reload is logged and not retried. */
export function registerAutoReload(services: Services) {
  const options = { title: '语音服务自动重新读取配置', timeLimitSeconds: TIME_LIMIT_SECONDS, retries: 0 }
  services.jobs.registerMessages(QUEUE, ({ payload }) => reload(services, payload as Change), options)
}

/**
 * Reloads the servers unless a later change is stored. Jobs of earlier changes find another change id and do nothing.
 */
async function reload(services: Services, { tenantId, changeId }: Change) {
  const { rowCount } = await services.database.pool.query(
    'delete from agent_params where tenant_id = $1 and code = $2 and value = $3',
    [tenantId, LAST_CHANGE, changeId],
  )
  if (rowCount === 0) return
  for (const each of await tenantsWithServers(services, tenantId)) await reloadServers(services, each)
}

/**
 * Returns the tenants whose servers a change affects. A change of the platform also affects tenants with their own
 * servers.
 */
async function tenantsWithServers({ database: { db } }: Services, tenantId: number): Promise<number[]> {
  if (tenantId !== PLATFORM_TENANT_ID) return [tenantId]
  const { rows } = await db.execute<{ id: number }>(sql`select tenant_id as id from agent_params
    where code = 'server.websocket' and tenant_id <> ${PLATFORM_TENANT_ID} order by 1`)
  return [PLATFORM_TENANT_ID, ...rows.map(({ id }) => id)]
}

async function reloadServers(services: Services, tenantId: number) {
  const { agentParameters, database, log } = services
  if (!(await agentParameters.of(tenantId)).isOn(SWITCH)) return
  const { addresses, mayAct } = await readServerAddresses(services, database.db, tenantId)
  if (!mayAct) return
  const actions = addresses.map((address) =>
    sendServerAction(services, { tenantId, address }, 'update_config').then(
      () => log.info({ tenantId, address }, 'voice server reloaded its configuration after a change'),
      (err: unknown) => log.warn({ err, tenantId, address }, 'voice server did not reload its configuration'),
    ),
  )
  await Promise.all(actions)
}
