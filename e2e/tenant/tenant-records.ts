import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import { connected } from '../support/fleet.ts'

interface Owner {
  readonly tenantId: number
  readonly modelId: number
  /** Unique prefix of serial numbers, certificates and ticket numbers. */
  readonly name: string
}

/**
 * Inserts devices, certificates and tickets in different states for a tenant, so that its figures differ from zero and
 * from each other. `uid` is the handler of the tickets.
 */
export async function makeTenantRecords(
  tenantId: number,
  uid: number,
): Promise<{ deviceId: number; sns: readonly string[] }> {
  const name = `F${randomBytes(3).toString('hex').toUpperCase()}`
  const client = await connected()
  // The statistics count by the day and hour of the zone of the product.
  await client.query(`set timezone = 'Asia/Shanghai'`)
  const { rows } = await client.query<{ id: number }>(
    `with y as (insert into device_types (type_name, type_code) values ($1, $1) returning id)
     insert into device_models (type_id, model_name, model_code, cloud_channels) select id, $1, $1, 2 from y returning id`,
    [name],
  )
  const owner = { tenantId, modelId: rows[0]?.id as number, name }
  const deviceIds = await makeDevices(client, owner)
  await makeCertificates(client, owner, deviceIds)
  await makeTickets(client, owner, uid)
  await client.end()
  return { deviceId: deviceIds[0] as number, sns: [1, 2, 3].map((n) => `${name}${n}`) }
}

/** Creates one online, two offline and two inactive devices; one of them is disabled. Returns their ids. */
async function makeDevices(client: Client, { tenantId, modelId, name }: Owner) {
  const { rows } = await client.query<{ id: number }>(
    `insert into devices (tenant_id, model_id, sn, online, status, activate_time, ver_code, region)
     select $1, $2, $3 || n, (n = 1)::int, (n <> 2)::int, case when n < 4 then now() end,
       case when n < 3 then 100 end, '上海'
     from generate_series(1, 5) as n returning id`,
    [tenantId, modelId, name],
  )
  return rows.map(({ id }) => id)
}

/** Creates an allotted, two activated, a suspended and a scrapped certificate; two are limited to the model. */
const makeCertificates = (client: Client, { tenantId, modelId, name }: Owner, deviceIds: readonly number[]) =>
  client.query(
    `with b as (insert into license_batches (batch_no, vendor, total) values ($3, 2, 5) returning id)
     insert into licenses
       (uid, vendor, type_code, batch_id, model_id, state, tenant_id, allot_time, activate_time, expire_time, device_id)
     select $3 || '-' || n, 2, 'P2P', b.id, case when n < 3 then $2::int end, (array[1, 3, 3, 4, 6])[n], $1::int, now(),
       case when n > 1 then now() end, now() + interval '40 days',
       case when n in (2, 3) then ($4::int[])[n] end
     from b, generate_series(1, 5) as n`,
    [tenantId, modelId, name, deviceIds],
  )

/** Creates six tickets: 1 is new, 2 late, 3 rated, 4 reopened and closed again, 5 without a model, 6 old. */
const makeTickets = (client: Client, { tenantId, modelId, name }: Owner, uid: number) =>
  client.query(
    `insert into tickets
       (feedback_no, tenant_id, model_id, ver_code, problem_type, content, status, handler_id, last_handler_id,
        create_time, close_time, first_respond_time, satisfaction, reopen_count, sla_state, sla_breached, problem_attr)
     select $3 || n, $1, case when n <> 5 then $2::int end, case when n in (1, 2) then 100 end, 1 + n % 2, '屏幕不亮',
       case when n in (3, 4) then 5 else 0 end, case when n = 2 then $4::int end,
       case when n in (2, 3, 4) then $4::int end,
       now() - case when n = 6 then interval '5 days' else interval '1 minute' end,
       case when n in (3, 4) then now() end, case when n in (2, 3) then now() end, case when n = 3 then 5 end,
       (n = 4)::int, case when n = 2 then 3 else 0 end, n = 2, '{"hardware":["1"],"software":[],"structure":[]}'::jsonb
     from generate_series(1, 6) as n`,
    [tenantId, modelId, name, uid],
  )
