import { type ContextFact, CONTEXT_FACT } from '@oms/contract/agent/agents/agent-input.ts'
import { AGENT_EVENT_KIND } from '@oms/contract/agent/devices/device-event.ts'
import { FEEDBACK_STATUS } from '@oms/contract/ticket/ticket-rows.ts'
import type { Pool } from 'pg'
import { readNumbers, signNumbers } from '#core/crypto/signed-token.ts'
import { readBearerToken } from '#modules/device/wire/request.ts'
import { notFound } from '#modules/device/wire/response.ts'
import { parseMacDigits, type XiaozhiCall, CallRefusedError, RESPONSE_CODE, sendData, sendRefusal } from './call.ts'

/** True for the context source, given the parts of the path below `/xiaozhi/`. */
export const isContextPath = (path: readonly string[]) => path.length === 1 && path[0] === 'context'

/**
 * Handles `GET /xiaozhi/context`: returns facts of the device in `device-id`, for the prompt of its agent. Voice
 * servers send the headers of `buildContextProviders`. Checks the token before any other part of the request.
 */
export async function handleContextRequest(call: XiaozhiCall) {
  const { request, response, side, now } = call
  const { config, database, voiceServers } = side.services
  const agentId = readContextToken(config.secretKey, readBearerToken(request), now)
  if (agentId === undefined)
    return sendRefusal(response, new CallRefusedError(RESPONSE_CODE.unauthorized, '令牌不正确或已过期'))
  if (request.method !== 'GET') throw notFound('call')
  const mac = parseMacDigits(String(request.headers['device-id'] ?? ''))
  const { device } = mac === undefined ? {} : await voiceServers.reads.devices.of(mac)
  const isOwn = device?.isOpen === true && device.agent?.id === agentId && device.agent.tenantId === device.tenantId
  if (!isOwn) return sendData(response, {})
  const facts = await buildDeviceContext(database.pool, device, factsOf(device.agent))
  const detail = { facts: Object.keys(facts).join('、') }
  voiceServers.events.add({ mac: mac!, tenantId: device.tenantId, kind: AGENT_EVENT_KIND.context, detail }, now)
  return sendData(response, facts)
}

const factsOf = ({ contextFacts }: { readonly contextFacts: readonly string[] }) => contextFacts as ContextFact[]

interface Asker {
  readonly secretKey: Buffer
  /** Address at which the voice server called. */
  readonly origin: string
  readonly now: number
}

/**
 * Returns the entry of `context_providers` with which a voice server reads the chosen facts. Empty when no fact is
 * chosen.
 */
export function buildContextProviders(
  { secretKey, origin, now }: Asker,
  { id, contextFacts }: { readonly id: number; readonly contextFacts: readonly string[] },
) {
  if (contextFacts.length === 0) return []
  const headers = { Authorization: `Bearer ${createContextToken(secretKey, id, now)}` }
  return [{ url: `${origin}/xiaozhi/context`, headers }]
}

const USE = 'xiaozhi-context'
/** Validity in seconds. A voice server may request facts until this long after the start of a voice connection. */
const TOKEN_SECONDS = 86_400

/** Returns the token with which a voice server reads facts of the devices of an agent. */
export const createContextToken = (secretKey: Buffer, agentId: number, nowMs: number) =>
  signNumbers(secretKey, USE, [agentId, Math.floor(nowMs / 1000) + TOKEN_SECONDS])

/** Returns the agent of a valid token; undefined for a wrong or expired token. */
function readContextToken(secretKey: Buffer, token: string, nowMs: number): number | undefined {
  const [agentId, end = 0] = readNumbers(secretKey, USE, token, 2) ?? []
  return end * 1000 < nowMs ? undefined : agentId
}

const MAX_TICKETS = 3
const MAX_REMINDERS = 5
const MAX_CONTENT = 40

/** Ids of a bound device. */
interface BoundIds {
  readonly deviceId: number
  readonly tenantId: number
}

interface Ticket {
  readonly content: string
  readonly status: keyof typeof FEEDBACK_STATUS
}

interface Row {
  readonly customer: string | null
  readonly model: string | null
  readonly firmware: string
  readonly warrantyEnd: string | null
  readonly isCovered: boolean | null
  readonly tickets: readonly Ticket[] | null
  readonly ticketCount: number
  readonly reminders: readonly string[] | null
  readonly reminderCount: number
}

/** Reads the facts of a device. Finds tickets by serial number, because this column has an index. */
const READ = `select t.name as customer, m.model_name as model, a.app_version as firmware,
    to_char(d.warranty_end, 'FMYYYY"年"FMMM"月"FMDD"日"') as "warrantyEnd", d.warranty_end >= current_date as "isCovered",
    f.list as tickets, coalesce(f.n, 0)::int as "ticketCount",
    o.list as reminders, coalesce(o.n, 0)::int as "reminderCount"
  from agent_devices a join devices d on d.id = a.device_id and d.deleted_at is null
    left join tenants t on t.id = a.tenant_id left join device_models m on m.id = d.model_id
    left join lateral (select max(n) as n, jsonb_agg(jsonb_build_object('content', content, 'status', status) order by id desc) as list
      from (select k.id, k.content, k.status, count(*) over () as n from tickets k where k.sn = d.sn and k.device_id = d.id
        and k.tenant_id = a.tenant_id and k.status <> 5 order by k.id desc limit ${MAX_TICKETS}) o) f on $3::boolean
    left join lateral (select max(n) as n, jsonb_agg(text order by remind_time, id) as list
      from (select r.id, r.remind_time, count(*) over () as n, to_char(r.remind_time, 'FMYYYY"年"FMMM"月"FMDD"日" HH24:MI') || ' ' || r.content as text
        from agent_reminders r where r.device_id = a.device_id and r.tenant_id = a.tenant_id and r.told_count = 0
        order by r.remind_time, r.id limit ${MAX_REMINDERS}) p) o on $4::boolean
  where a.device_id = $1 and a.tenant_id = $2`

/** Returns facts of a device by Chinese title, as texts for the prompt of its agent. Omits unknown facts. */
export async function buildDeviceContext(pool: Pool, { deviceId, tenantId }: BoundIds, facts: readonly ContextFact[]) {
  const { rows } = await pool.query<Row>({
    name: 'agent-device-context',
    text: READ,
    values: [deviceId, tenantId, facts.includes('tickets'), facts.includes('reminders')],
  })
  const row = rows[0]
  if (!row) return {}
  const texts: Readonly<Record<ContextFact, string>> = {
    customer: row.customer ?? '',
    model: row.model ?? '',
    firmware: row.firmware,
    warranty: warrantyText(row),
    tickets: ticketsText(row),
    reminders: remindersText(row),
  }
  const known = facts.filter((fact) => texts[fact] !== '')
  return Object.fromEntries(known.map((fact) => [CONTEXT_FACT[fact], texts[fact]]))
}

const warrantyText = ({ warrantyEnd, isCovered }: Row) =>
  warrantyEnd === null ? '' : isCovered ? `保修期内，截至${warrantyEnd}` : `已过保，保修截至${warrantyEnd}`

function ticketsText({ tickets, ticketCount }: Row): string {
  if (ticketCount === 0) return '没有'
  const shown = (tickets ?? []).map(({ content, status }) => `${shortened(content)}（${FEEDBACK_STATUS[status]}）`)
  return `${ticketCount}个：${shown.join('；')}${ticketCount > shown.length ? '等' : ''}`
}

/** Returns the reminders as one text. Reminders contain no line breaks, so the text is one line. */
function remindersText({ reminders, reminderCount }: Row): string {
  if (reminderCount === 0) return '没有'
  const shown = reminders ?? []
  return `${reminderCount}个：${shown.join('；')}${reminderCount > shown.length ? '等' : ''}`
}

/**
 * Returns the start of a text on one line, because a line break in a ticket could imitate another fact in the prompt.
 */
function shortened(text: string): string {
  const line = [...text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()]
  return line.length > MAX_CONTENT ? `${line.slice(0, MAX_CONTENT).join('')}…` : line.join('')
}
