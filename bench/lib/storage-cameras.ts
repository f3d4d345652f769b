import { createHash } from 'node:crypto'
import { psql, TOKEN } from './fleet.ts'
import type { Product } from './product.ts'

/** Creates one package and the cameras with the serial numbers `D1` to `D<count>`. */
export function fillCameras(product: Product, count: number) {
  const token = createHash('sha256').update(TOKEN).digest('hex')
  psql(product, `insert into device_types (type_name, type_code) values ('bench', 'bench')`)
  psql(product, `insert into device_models (type_id, model_name, model_code, cloud_channels) values (1, 'B', 'B', 1)`)
  psql(
    product,
    `insert into devices (tenant_id, model_id, sn, token_hash, attributes_wanted, last_online_time, online)
     select 1, 1, 'D' || g, '\\x${token}', 0, now(), 1 from generate_series(1, ${count}) g`,
  )
  psql(product, `insert into oss_packages (package_name, package_code) values ('P', 'P')`)
  psql(
    product,
    `insert into oss_package_versions (package_id, version, record_type, storage_days, period_type, period_count, price)
     values (1, 1, 1, 30, 2, 1, 0)`,
  )
  psql(product, 'vacuum analyze devices')
}

/**
 * Opens the package on the cameras with the ids `from` to `to`. Each package began 9 days ago and ends in 20 days. Adds
 * a second, waiting package to cameras with an even id when `hasNext` is true.
 */
export function fillEntitlements(
  product: Product,
  { from = 1, to, hasNext = false }: { readonly from?: number; readonly to: number; readonly hasNext?: boolean },
) {
  const cameras = `devices where id between ${from} and ${to}`
  psql(product, insertOf({ cameras, no: 'OE', state: 1, start: ['9 days ago', '20 days'] }))
  if (hasNext)
    psql(product, insertOf({ cameras: `${cameras} and id % 2 = 0`, no: 'ON', state: 0, start: ['20 days', '49 days'] }))
  psql(product, 'analyze oss_entitlements')
  const last = hasNext ? 'case when id % 2 = 0 then 49 else 20 end' : '20'
  psql(
    product,
    `insert into oss_queues (device_id, channel, tenant_id, end_time, next_time, last_package_id)
     select id, 0, 1, now() + make_interval(days => ${last}), now() + interval '20 days', 1 from ${cameras}`,
  )
}

interface Rows {
  /** Table and condition of the query, after `from`. */
  readonly cameras: string
  /** Prefix of the entitlement numbers. */
  readonly no: string
  readonly state: 0 | 1
  /** Start and end as PostgreSQL intervals that are added to the present time. */
  readonly start: readonly [string, string]
}

const insertOf = ({ cameras, no, state, start: [start, end] }: Rows) => `
  insert into oss_entitlements (ent_no, device_id, sn, channel, tenant_id, package_id, package_version_id, package_name,
    package_code, record_type, storage_days, period_type, period_count, source, position, state, start_time, run_from,
    end_time, total_seconds, create_time)
  select '${no}' || id, id, sn, 0, 1, 1, 1, 'P', 'P', 1, 30, 2, 1, 1, ${1 - state}, ${state}, now() + interval '${start}',
    ${state === 1 ? `now() + interval '${start}'` : 'null'}, now() + interval '${end}', 29 * 86400,
    now() - make_interval(secs => id) from ${cameras}`

/** Returns the state of the first channel that a camera receives. */
async function stateOf(url: string, sn: string) {
  const reply = await fetch(`${url}/device/v1/storage/state`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ sn }),
  })
  const body = (await reply.json()) as { channels?: { state: string }[] }
  return body.channels?.[0]?.state
}

/** Waits until a server returns this state for a camera. */
export async function untilState(url: string, sn: string, state: string) {
  while ((await stateOf(url, sn).catch(() => undefined)) !== state) await new Promise((done) => setTimeout(done, 500))
}
