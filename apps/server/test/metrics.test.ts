import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { queryTimeouts } from '#core/http/error-response.ts'
import { Metrics, createMetrics } from '#core/http/metrics.ts'
import { noteS3Call } from '#core/storage/s3/s3-calls.ts'
import { putBytes } from '#core/storage/open-store.ts'
import { DeviceHandler } from '#main/devices/handler.ts'
import { createDeviceServer } from '#main/devices/server.ts'
import { sampleFleet } from '#modules/home/trend.ts'
import { useApp } from './harness.ts'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const server = useApp({ OMS_METRICS: 'on' })
const scrape = async () => (await server.stranger().inject({ method: 'GET', url: '/metrics' })).body

test('requests are counted by operation class and body code, and their duration is measured', async () => {
  const me = await server.as()
  await me.call('GET', '/api/v1/account/job')
  await me.call('GET', '/api/v1/account/job?state=x')
  await server.stranger().call('POST', '/api/v1/account/login', { account: 'nobody', passwd: 'wrong' })
  const text = await scrape()
  expect(text).toMatch(/oms_requests_total\{class="read",code="200"\} \d/)
  expect(text).toMatch(/oms_requests_total\{class="read",code="400"\} 1/)
  expect(text).toMatch(/oms_requests_total\{class="login",code="\d+"\} \d/)
  expect(text).toMatch(/oms_request_duration_seconds_bucket\{le="0.005",class="read"\} \d/)
  expect(text).toContain('oms_event_streams 0')
  expect(text).toMatch(/oms_database_connections [1-9]/)
  expect(text).toMatch(/process_cpu_seconds_total [\d.]+/)
})

test('the metrics contain depth and age of the job queue, devices and files', async () => {
  await sampleFleet(server.services)
  await server.services.jobs.add(server.db, { kind: 'measured' })
  await putBytes(server.services.files, Buffer.from('x'))
  const metrics = new Metrics(await import('prom-client'), server.services)
  const text = await metrics.text()
  expect(text).toContain('oms_jobs{kind="measured",state="waiting"} 1')
  expect(text).toMatch(/oms_job_oldest_seconds\{kind="measured",state="waiting"\} \d/)
  for (const name of ['oms_devices', 'oms_devices_online', 'oms_files', 'oms_files_bytes'])
    expect(text).toMatch(new RegExp(`\n${name} \\d`))
})

test('the metrics contain version, last backup, query time-outs and calls of the S3 store', async () => {
  queryTimeouts.set('home.summary', 2)
  noteS3Call('GetObjectCommand', false, performance.now())
  await server.db.execute(sql`insert into settings (key, value) values ('lastBackup', to_jsonb(1700000000.5))`)
  const metrics = new Metrics(await import('prom-client'), server.services)
  await server.services.database.pool.query('select pg_sleep(0.01)')
  const text = await metrics.text()
  expect(text).toMatch(/oms_build_info\{version="\d+\.\d+\.\d+",node="2\d\.[\d.]+"\} 1/)
  expect(text).toContain('oms_backup_timestamp_seconds 1700000000.5')
  expect(text).toContain('oms_query_timeouts_total{operation="home.summary"} 2')
  expect(text).toContain('oms_s3_failures_total{command="GetObjectCommand"} 1')
  expect(Number(/^oms_database_seconds_total (\S+)$/m.exec(text)?.[1])).toBeGreaterThan(0.005)
})

test('a device process serves metrics and counts polls', async () => {
  const http = createDeviceServer(server.services, new DeviceHandler(server.services))
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done))
  try {
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
    expect((await fetch(`${url}/device/v1/nothing`)).status).toBeGreaterThanOrEqual(400)
    await createMetrics(server.services)
    await expect
      .poll(async () => (await fetch(`${url}/metrics`)).text())
      .toMatch(/oms_requests_total\{class="device-poll",code="[45]\d\d"\} 1/)
  } finally {
    http.close()
  }
})

test('dashboard, alert rules and operating guide mention only existing metrics, and the guide mentions all of them', async () => {
  const text = await scrape()
  const exported = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name as string))
  const docs = join(import.meta.dirname, '../../../docs')
  const dashboard = readFileSync(join(docs, 'guides/grafana-dashboard.json'), 'utf8')
  const alerts = readFileSync(join(docs, 'guides/alerts.yml'), 'utf8')
  for (const { alert, expr } of parse(alerts).groups[0].rules) expect([alert, typeof expr]).toEqual([alert, 'string'])
  for (const [name] of (dashboard + alerts).matchAll(/\b(?:oms|process|nodejs)_[a-z0-9_]+/g))
    expect(exported).toContain(name.replace(/_bucket$/, ''))
  const guide = readFileSync(join(docs, 'reference/operating.md'), 'utf8')
  for (const name of exported) if (name.startsWith('oms_')) expect(guide).toContain(`\`${name}\``)
})

test('promtool accepts the alert rules of the guide', async ({ skip }) => {
  const rules = join(import.meta.dirname, '../../../docs/guides/alerts.yml')
  const checked = await promisify(execFile)('promtool', ['check', 'rules', rules]).catch((error) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (!checked) return skip('promtool is not installed')
  expect(checked.stdout).toContain('SUCCESS')
})
