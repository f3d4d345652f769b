import pg from 'pg'
import { poll, psql } from './fleet.ts'
import type { Product } from './product.ts'
import { median, print } from './report.ts'

const ROUNDS = 60

/** Measures the time from the commit of a release to the first poll that receives it, with a separate model. */
export async function changes(product: Product) {
  psql(product, `insert into device_models (id, type_id, model_name, model_code) values (900, 1, 'change', 'CHANGE')`)
  psql(
    product,
    `insert into devices (tenant_id, model_id, sn, ver_code, token_hash, attributes_wanted)
     select 1, 900, 'R' || g, 1, token_hash, 0 from generate_series(1, ${ROUNDS}) g, devices where id = 1`,
  )
  psql(
    product,
    `insert into ota_versions (ota_id, tenant_id, model_id, ver_code, ver_name, release_date, status, components)
     values (900000, 1, 900, 2, 'r', now() - interval '1 day', 1, 1)`,
  )
  psql(product, 'insert into ota_policies (ota_id, tenant_id, mode, percent) values (900000, 1, 2, 0)')
  const client = new pg.Client({ host: product.socket, user: 'oms', database: 'oms' })
  await client.connect()
  const times: number[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    while ((await links(product, round)) !== undefined) await pause()
    await pause(100)
    await client.query('update ota_policies set percent = 10000 where ota_id = 900000')
    const committed = performance.now()
    while (!(await links(product, round))?.deploymentBase) {}
    times.push(performance.now() - committed)
    await client.query('update ota_policies set percent = 0 where ota_id = 900000')
    await pause(100)
  }
  await client.end()
  print({ name: 'a release reaches a poll, median', value: median(times), unit: 'ms', bar: 5, better: 'less' })
  print({ name: 'a release reaches a poll, worst', value: Math.max(...times), unit: 'ms', bar: 500, better: 'less' })
}

async function links({ url }: Product, round: number) {
  const reply = await poll(url, `R${round}`)
  const body = (await reply.json()) as { _links?: { deploymentBase?: object } }
  return body._links
}

const pause = (ms = 5) => new Promise((done) => setTimeout(done, ms))
