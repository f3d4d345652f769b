import { ask } from './console.ts'
import { psql, TOKEN } from './fleet.ts'
import type { Product } from './product.ts'
import { median, print, remark } from './report.ts'

const ROUNDS = 9

/** Measures the time from the response of an opening in the console until another process permits a recording. */
export async function opening(product: Product, second: Product) {
  const token = `(select token_hash from devices where sn = 'D1')`
  psql(
    product,
    `insert into devices (tenant_id, model_id, sn, token_hash, attributes_wanted, last_online_time, online)
     select 1, 1, 'E' || g, ${token}, 0, now(), 1 from generate_series(1, ${ROUNDS}) g`,
  )
  const ticket = await product.login()
  const times: number[] = []
  for (let at = 1; at <= ROUNDS; at++) {
    const sn = `E${at}`
    // oxlint-disable-next-line no-await-in-loop -- one opening after the other
    times.push(await openAndWait({ product, second, ticket, sn }))
  }
  remark(`opening until a permit of another process: median ${median(times).toFixed(0)} ms of ${ROUNDS}`)
  const value = Math.max(...times)
  print({ name: 'slowest opening until a permit of another process', value, unit: 'ms', bar: 1000, better: 'less' })
}

interface Opening {
  readonly product: Product
  readonly second: Product
  readonly ticket: string
  readonly sn: string
}

async function openAndWait({ product, second, ticket, sn }: Opening) {
  while ((await permitOf(second.url, sn)) !== 403) await new Promise((done) => setTimeout(done, 50))
  const body = { sns: [sn], channels: [0], packageId: 1, copies: 1, effectMode: 1, source: 2, reason: 'bench' }
  const report = await ask<{ failed?: unknown[] }>(product, ticket, ['POST', '/api/v1/oss/device/open'], body)
  const from = performance.now()
  for (let status = 0; status !== 200; ) {
    if (performance.now() - from > 30_000) throw new Error(`${sn}: HTTP ${status} ${JSON.stringify(report)}`)
    status = await permitOf(second.url, sn)
  }
  return performance.now() - from
}

async function permitOf(url: string, sn: string) {
  const segment = { start: Date.now(), durationMs: 4000, bytes: 412_096, format: 'ts', session: 77, seq: 12 }
  const reply = await fetch(`${url}/device/v1/storage/permit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ sn, channel: 0, segments: [segment] }),
  })
  await reply.arrayBuffer()
  return reply.status
}
