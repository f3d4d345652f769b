import type { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { failedItemCountByJob } from '#core/jobs/isolated.ts'
import { buildFacts } from '#core/process/build-facts.ts'
import type { Services } from '#core/services.ts'
import { s3Calls } from '#core/storage/s3/s3-calls.ts'
import { openStreams } from '#core/events/events.ts'
import { queryTimeouts } from './error-response.ts'

/** Cache time of values that need table scans (files, jobs). Scrapes within this time share the values. */
const CACHE_MS = 15_000
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Result of a request. `code` is the code of the body, or the HTTP status of a response without an envelope. */
export interface MeasuredRequest {
  readonly operationClass: 'read' | 'write' | 'login' | 'file' | 'device-poll' | 'device' | 'other'
  readonly code: number
  readonly seconds: number
}

type Library = typeof import('prom-client')

/** Collects the metrics of one process in the Prometheus text format, with the default metrics of `prom-client`. */
export class Metrics {
  readonly #registry: Registry
  readonly #requests: Counter
  readonly #durations: Histogram
  readonly #errors: Counter
  readonly #library: Library

  constructor(library: Library, services: Services) {
    this.#library = library
    this.#registry = new library.Registry()
    const registers = [this.#registry]
    const labelNames = ['class', 'code']
    this.#requests = new library.Counter({ name: 'oms_requests_total', help: 'Requests', labelNames, registers })
    this.#errors = new library.Counter({
      name: 'oms_request_errors_total',
      help: 'Requests that failed in the server (code 500 and above, refusals excluded)',
      labelNames: ['class'],
      registers,
    })
    this.#durations = new library.Histogram({
      name: 'oms_request_duration_seconds',
      help: 'Duration of requests',
      labelNames: ['class'],
      buckets: BUCKETS,
      registers,
    })
    library.collectDefaultMetrics({ register: this.#registry })
    this.#addProcess()
    this.#addPool(services)
    this.#addS3()
    this.#addJobs(services)
    this.#addTables(services)
  }

  observe({ operationClass, code, seconds }: MeasuredRequest) {
    this.#requests.inc({ class: operationClass, code })
    this.#durations.observe({ class: operationClass }, seconds)
    // 501 means an intentional refusal (docs/decisions/002), not a fault.
    if (code >= 500 && code !== 501) this.#errors.inc({ class: operationClass })
  }

  text = () => this.#registry.metrics()

  #gauge(name: string, help: string, collect: (gauge: Gauge) => void | Promise<void>, labelNames: string[] = []) {
    const gauge: Gauge = new this.#library.Gauge({
      name,
      help,
      labelNames,
      registers: [this.#registry],
      collect: () => collect(gauge),
    })
  }

  #counter(name: string, help: string, collect: (counter: Counter) => void, labelNames: string[] = []) {
    const counter: Counter = new this.#library.Counter({
      name,
      help,
      labelNames,
      registers: [this.#registry],
      collect() {
        this.reset()
        collect(counter)
      },
    })
  }

  #addProcess() {
    const { version } = buildFacts()
    const facts = { version, node: process.versions.node }
    this.#gauge('oms_build_info', 'Version of the program', (gauge) => gauge.set(facts, 1), Object.keys(facts))
    this.#gauge('oms_event_streams', 'Open event streams of consoles', (gauge) => gauge.set(openStreams.size))
  }

  #addPool({ database: { pool } }: Services) {
    this.#gauge('oms_database_connections', 'Connections of the pool', (gauge) => gauge.set(pool.totalCount))
    this.#gauge('oms_database_connections_idle', 'Idle connections of the pool', (gauge) => gauge.set(pool.idleCount))
    this.#gauge('oms_database_requests_waiting', 'Requests that wait for a connection', (gauge) =>
      gauge.set(pool.waitingCount),
    )
    const since = new WeakMap<object, number>()
    let seconds = 0
    pool.on('acquire', (client) => void since.set(client, performance.now()))
    pool.on('release', (_error, client) => {
      seconds += (performance.now() - (since.get(client) ?? performance.now())) / 1000
    })
    this.#counter('oms_database_seconds_total', 'Time that connections of the pool were in use', (counter) =>
      counter.inc(seconds),
    )
    this.#counter(
      'oms_query_timeouts_total',
      'Calls whose statement reached the time limit of the database',
      (counter) => {
        for (const [operation, count] of queryTimeouts) counter.inc({ operation }, count)
      },
      ['operation'],
    )
  }

  #addS3() {
    const collect = (field: 'seconds' | 'done' | 'failed') => (counter: Counter) => {
      for (const [command, calls] of s3Calls) counter.inc({ command }, calls[field])
    }
    this.#counter('oms_s3_calls_total', 'Calls of the S3 store that succeeded', collect('done'), ['command'])
    this.#counter('oms_s3_failures_total', 'Calls of the S3 store that failed', collect('failed'), ['command'])
    this.#counter('oms_s3_seconds_total', 'Duration of calls of the S3 store', collect('seconds'), ['command'])
  }

  #addJobs({ jobs }: Services) {
    const depths = cached(() => jobs.depths(), [])
    const labels = ['kind', 'state']
    const setEach = (field: 'count' | 'age') => async (gauge: Gauge) => {
      gauge.reset()
      for (const { kind, state, ...depth } of await depths()) gauge.set({ kind, state }, depth[field])
    }
    this.#gauge('oms_jobs', 'Jobs that wait or run', setEach('count'), labels)
    this.#gauge('oms_job_oldest_seconds', 'Age of the oldest job that waits or runs', setEach('age'), labels)
    this.#counter(
      'oms_job_runs_total',
      'Ended runs of jobs in this process',
      (counter) => {
        for (const [kind, outcomes] of jobs.outcomes)
          for (const [outcome, count] of outcomes) counter.inc({ kind, outcome }, count)
      },
      ['kind', 'outcome'],
    )
    this.#counter(
      'oms_job_item_failures_total',
      'Releases, tenants, tickets and other items that failed in scheduled jobs of this process',
      (counter) => {
        for (const [kind, count] of failedItemCountByJob) counter.inc({ kind }, count)
      },
      ['kind'],
    )
  }

  #addTables({ database: { pool } }: Services) {
    const read = async () => (await pool.query<Totals>(TOTALS)).rows[0] ?? NO_TOTALS
    const totals = cached(read, NO_TOTALS)
    const set = (field: keyof Totals) => async (gauge: Gauge) => gauge.set((await totals())[field])
    this.#gauge('oms_devices', 'Devices, sampled every five minutes', set('devices'))
    this.#gauge('oms_devices_online', 'Devices online, highest value of this hour', set('online'))
    this.#gauge('oms_backup_timestamp_seconds', 'Unix time of the last complete backup; 0: none', set('backup'))
    this.#gauge('oms_files', 'Rows of stored files', set('files'))
    this.#gauge('oms_files_bytes', 'Bytes of stored files', set('bytes'))
  }
}

interface Totals {
  readonly devices: number
  readonly online: number
  readonly files: number
  readonly bytes: number
  readonly backup: number
}
const NO_TOTALS: Totals = { devices: 0, online: 0, files: 0, bytes: 0, backup: 0 }
/** The sample row of tenant 0 contains the device counts of all tenants. */
const TOTALS = `select coalesce(s.devices, 0)::float8 as devices, coalesce(s.online, 0)::float8 as online, f.files, f.bytes,
  coalesce((select value::text::float8 from settings where key = 'lastBackup'), 0) as backup
  from (select count(*)::float8 as files, coalesce(sum(size), 0)::float8 as bytes from files) f
  left join lateral (select devices, online from fleet_samples where span = 1 and tenant_id = 0
    order by start desc limit 1) s on true`

/** Caches a read for 15 s. While the database is unavailable, the last values stay. */
function cached<T>(read: () => Promise<T>, initial: T): () => Promise<T> {
  let last = initial
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined
  return async () => {
    if (performance.now() - readAt < CACHE_MS) return last
    reading ??= read()
      .then((value) => {
        last = value
        readAt = performance.now()
      })
      .catch(() => {})
      .finally(() => (reading = undefined))
    await reading
    return last
  }
}

const open = new WeakMap<Services, Promise<Metrics>>()

/** The bundle gives a CommonJS package only as its default export. */
const loadLibrary = async (): Promise<Library> => (await import('prom-client')).default

/** Returns the metrics of this process, or undefined when OMS_METRICS is off. Loads the library at first use. */
export function createMetrics(services: Services): Promise<Metrics> | undefined {
  if (!services.config.metrics) return undefined
  const found = open.get(services) ?? loadLibrary().then((library) => new Metrics(library, services))
  open.set(services, found)
  return found
}
