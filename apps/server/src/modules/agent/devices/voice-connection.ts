import { USAGE_SOURCE, USAGE_UNIT } from '@oms/contract/agent/usage/usage-unit.ts'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { DelayedWrite } from '#core/database/statements/delayed-write.ts'

/** SQL of the grants of the device `h`, of its agent and of its tenant. `g` is the alias of the grants. */
const formatGrantsSql = (
  g: string,
) => `(values (1::smallint, h.device_id), (2::smallint, h.agent_id), (3::smallint, h.tenant_id))
    as ${g}k (scope, target_id) join agent_grants ${g} on ${g}.scope = ${g}k.scope and ${g}.target_id = ${g}k.target_id
      and ${g}.tenant_id = h.tenant_id and ${g}.is_frozen = 0`

/**
 * SQL condition: the connection `u` of the device `h` begins a waiting pack, because no running grant with a balance
 * covers a unit of the pack. Ignores device days, whose packs begin with the first use of a day.
 */
const BEGINS_PACK_SQL = `exists (select from ${formatGrantsSql('w')}
  where w.state = 0 and w.unit > 1 and w.create_time <= u.at and w.activate_until > u.at
    and not exists (select from ${formatGrantsSql('r')}
      where r.state = 1 and r.unit = w.unit and (r.is_unlimited = 1 or r.remaining > 0) and r.valid_until > u.at))`

const FLUSH_MS = 1000
/**
 * Locks rows in the order of ids. Otherwise two processes with the same devices could deadlock. Counts the first use of
 * a device on a day, because a connection without a turn is a device day too. Also counts a connection that begins a
 * pack.
 */
const STORE = `with u as materialized (select id, to_timestamp(at / 1000) as at, is_use, address, client
      from unnest($1::int[], $2::float8[], $3::bool[], $4::text[], $5::text[]) as u (id, at, is_use, address, client)),
    held as materialized (select device_id, tenant_id, agent_id from agent_devices where device_id in (select id from u)
      order by device_id for no key update),
    used as (
      insert into agent_usage (day, used_time, tenant_id, agent_id, device_id, model_id, source, unit, n)
      select u.at::date, u.at, h.tenant_id, h.agent_id, h.device_id, coalesce(a.llm_id, 0), ${USAGE_SOURCE.device},
        ${USAGE_UNIT.connections}, 1
      from held h join u on u.id = h.device_id left join agents a on a.id = h.agent_id
      where u.is_use and (not exists (select from agent_usage g
          where g.device_id = h.device_id and g.day = u.at::date and g.source = ${USAGE_SOURCE.device})
        or ${BEGINS_PACK_SQL}))
  update agent_devices d set session_time = greatest(d.session_time, u.at), server_address = u.address, server_client = u.client
  from held join u on u.id = held.device_id where d.device_id = held.device_id`

interface Connection {
  readonly at: number
  /** False when the usage limit stops the device. Such a connection is not counted. */
  readonly isUse: boolean
  /** Voice server that requested the configuration. */
  readonly address: string
  readonly client: string
}

/**
 * Stores when and through which voice server devices connected, counts their device days, and marks the devices online.
 * Writes the connections of each second with one statement.
 */
export class VoiceConnectionWriter {
  readonly #pool: Pool
  #connected = new Map<number, Connection>()
  readonly #delayed: DelayedWrite

  constructor(pool: Pool, log: Logger) {
    this.#pool = pool
    this.#delayed = new DelayedWrite(FLUSH_MS, () => this.#write(), log, 'connections of voice devices not stored')
  }

  connected(deviceId: number, connection: Connection) {
    const isUse = connection.isUse || this.#connected.get(deviceId)?.isUse === true
    this.#connected.set(deviceId, { ...connection, isUse })
    this.#delayed.schedule()
  }

  /** Writes the waiting times. */
  flush() {
    return this.#delayed.flush()
  }

  async #write() {
    const connected = this.#connected
    this.#connected = new Map()
    if (connected.size === 0) return
    const ids = [...connected.keys()]
    const connections = [...connected.values()]
    await this.#pool.query(STORE, [
      ids,
      ...(['at', 'isUse', 'address', 'client'] as const).map((key) => connections.map((each) => each[key])),
    ])
    await markOnline(this.#pool, ids)
  }
}

/**
 * Locks rows in the order of ids, as the writer of polls does, to prevent deadlocks. Skips devices that were marked
 * within ten minutes.
 */
const ONLINE = `with held as materialized (select id from devices where id = any($1::int[]) and deleted_at is null
      and (online = 0 or coalesce(last_online_time, '-infinity') < now() - interval '10 minutes')
    order by id for no key update)
  update devices d set online = 1, last_online_time = now(), activate_time = coalesce(d.activate_time, now())
  from held where d.id = held.id`

/**
 * Marks voice devices online when they talk. A voice device polls only at boot, so boots alone would show it offline.
 */
export const markOnline = (pool: Pool, deviceIds: readonly number[]) =>
  pool.query({ name: 'agent-online', text: ONLINE, values: [deviceIds] })
