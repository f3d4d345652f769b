import { beforeEach } from 'vitest'
import { QUESTION, relayLab } from './relay-fixture.ts'

/** Notice of the tests. */
export const NOTICE = '套餐用完啦，请到小程序续费。'
const HOUR = 3_600_000

interface Grant {
  readonly scope?: number
  readonly targetId?: number
  readonly unit?: number
  readonly remaining?: number
  readonly spent?: number
  readonly state?: number
  readonly isUnlimited?: number
  readonly isFrozen?: number
  /** Hours until the end. */
  readonly hours?: number
}

/** Starts the device protocols with a relayed model, and functions that issue grants and ask within the limit. */
export function limitLab() {
  const { oms, lab, ask, keyFor } = relayLab()
  let packs = 0

  /** Issues one grant to the device of the lab. */
  const sell = async ({
    scope = 1,
    targetId = lab.device.id,
    unit = 2,
    remaining = 100,
    spent = 0,
    state = 1,
    isUnlimited = 0,
    isFrozen = 0,
    hours = 24,
  }: Grant = {}): Promise<number> => {
    packs += 1
    const end = new Date(Date.now() + hours * HOUR).toISOString()
    const [row] = await oms.query(
      `insert into agent_grants (tenant_id, order_id, scope, target_id, target_name, pack_no, unit, is_unlimited, total, remaining,
         spent, state, is_frozen, valid_days, activate_until, begin_time, valid_until, create_time)
       values (1, $1, $2, $3, '', 1, $4, $5, $6::bigint + $7::bigint, $6, $7, $8::smallint, $9, 30, $10,
         case when $8 > 0 then now() - interval '1 day' end, case when $8 > 0 then $10::timestamptz end, now() - interval '2 days')
       returning id`,
      [packs, scope, targetId, unit, isUnlimited, remaining, spent, state, isFrozen, end],
    )
    return Number(row.id)
  }
  const configuration = async (mac = lab.device.mac, secret?: string) => {
    const body = { macAddress: mac, clientId: 'c', selectedModule: {} }
    const answer = await oms.call('config/agent-models', { body, ...(secret !== undefined && { secret }) })
    return answer.json()
  }
  /** Asks with the key of the device, without a new configuration. */
  const asked = async (body: object = QUESTION) => {
    const answer = await ask(body, keyFor())
    return { status: answer.status, type: answer.headers.get('content-type') ?? '', text: await answer.text() }
  }
  const limitTo = (mode: string, tenantId = 1) => oms.param('usage.limit', mode, tenantId)
  const eventsOf = async (kind: number) => {
    await oms.services().voiceServers.events.flush()
    return oms.query('select detail from agent_events where mac = $1 and kind = $2 order by id', [
      lab.device.mac.replaceAll(':', ''),
      kind,
    ])
  }

  beforeEach(async () => {
    await oms.services().voiceServers.events.flush()
    await oms.query('delete from agent_grants')
    await oms.query('delete from agent_usage')
    await oms.query('delete from agent_events')
    await oms.query(`delete from agent_params where code in ('usage.limit', 'device_max_output_size')`)
    await oms.param('usage.notice', NOTICE)
    lab.vendor.calls.length = 0
  })

  return { oms, lab, sell, configuration, asked, limitTo, eventsOf }
}
