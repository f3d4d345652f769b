import pg from 'pg'
import type { Logger } from 'pino'
import type { Database } from '#core/database/client.ts'
import { readSnapshot } from '#core/database/statements/changed-since.ts'
import { readCopiedRowCount } from '#core/database/statements/copy-rows.ts'
import type { Events, Topics } from '#core/events/events.ts'
import { coalesceCalls } from '#core/process/coalesce.ts'
import { forceGarbageCollection } from '#core/process/force-gc.ts'
import { countDevices, loadChangedTasks, loadDevices, loadModelsAndTenants, loadTasks } from './load-devices.ts'
import { loadRules, reloadAllowlists, reloadGroup } from './load-rules.ts'
import type { Slots } from './slots.ts'
import { FleetState } from './state.ts'

/** Number of rows above which the garbage after loading is collected, at the cost of some tens of milliseconds. */
const MIN_ROWS_TO_COLLECT_GARBAGE = 100_000
/** Changes within this time are loaded together. */
const PAUSE_MS = 20
/** Pause before the remaining changes are loaded, so that devices waiting for a release are served first. */
const LULL_MS = 10
const RETRY_MS = 250
const MAX_RETRY_MS = 5000
const DYNAMIC_GROUPS_MS = 60_000

/** Another index by slot. It is loaded and updated together with the devices. */
export interface IndexPart {
  load(client: pg.Client, slots: Slots): Promise<void>
  /** Loads the rows that changed since the snapshot `since`. */
  follow(client: pg.Client, slots: Slots, since: string): Promise<void>
}

interface Parts {
  readonly database: Database
  readonly events: Events
  readonly log: Logger
  readonly parts?: readonly IndexPart[]
}

/** Rows of these tables are checked at every load, here or by an `IndexPart`. */
const CHECKED_TABLES = new Set(['devices', 'ota_tasks', 'oss_queues', 'ads', 'ad_programs', 'ad_screens'])

/** Changed members by list: the device ids, or null for all members. */
type Lists = Map<number, Set<number> | null>

/** Published changes that are not loaded yet. */
class Marks {
  references = false
  everything = false
  devices = false
  /** Ids of the versions whose rules must be reloaded; null: all versions. */
  rules: Set<number> | null = new Set()
  readonly allowlists: Lists = new Map()
  readonly groups: Lists = new Map()

  take({ table, lists, devices }: Topics['fleet']) {
    if (table === 'devices') this.devices = true
    if (CHECKED_TABLES.has(table)) return
    if (table === 'ota_versions' || table === 'ota_policies') {
      if (!lists) this.rules = null
      else for (const otaId of lists) this.rules?.add(otaId)
    } else if (table === 'ota_whites' || table === 'device_group_members') {
      if (lists) for (const list of lists) note(table === 'ota_whites' ? this.allowlists : this.groups, list, devices)
      else this.everything = true
    } else if (table === 'device_groups') this.everything = true
    else this.references = true
  }
}

function note(lists: Lists, list: number, devices: readonly number[] | null | undefined) {
  const before = lists.get(list)
  if (before === null || !devices) lists.set(list, null)
  else lists.set(list, new Set([...(before ?? []), ...devices]))
}

/**
 * Keeps an in-memory copy of the data for devices synchronised, on a separate connection. Each load reads the rows of
 * transactions that had not been committed at the previous load, so that a late commit is not missed.
 */
export class IndexSync {
  state = new FleetState()
  readonly #parts: Parts
  #client: pg.Client | undefined
  #snapshot = ''
  #marks = new Marks()
  #loading: Promise<void> | undefined
  #loaded = false
  #closed = false
  #endedAt = 0
  #timer: NodeJS.Timeout | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    parts.events.on('fleet', (change) => {
      if (!this.#loading) return
      this.#marks.take(change)
      if (this.#loaded) void this.sync()
    })
    parts.events.onReconnect(() => {
      if (!this.#loading) return
      this.#marks.everything = true
      if (this.#loaded) void this.sync()
    })
  }

  get database() {
    return this.#parts.database
  }

  get isLoaded() {
    return this.#loaded
  }

  /** Resolves after everything is in memory. The first caller starts the load. */
  load(): Promise<void> {
    return (this.#loading ??= this.#persist(() => this.#loadAll()).then(() => {
      this.#loaded = true
      this.#timer = setInterval(() => void this.#refreshGroups(), DYNAMIC_GROUPS_MS).unref()
      void this.sync()
    }))
  }

  /**
   * Resolves after everything committed before this call has been loaded. Coalesced, because two loads would share
   * one connection.
   */
  readonly sync = coalesceCalls(() => this.#run())

  /** Runs another query on a separate connection after everything is in memory. */
  async using<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    await this.load()
    const client = await this.#open()
    try {
      return await work(client)
    } finally {
      await client.end().catch(() => {})
    }
  }

  async close() {
    this.#closed = true
    clearInterval(this.#timer)
    await this.#client?.end().catch(() => {})
  }

  async #run() {
    const wait = this.#endedAt + PAUSE_MS - performance.now()
    if (wait > 0) await new Promise((done) => setTimeout(done, wait))
    await this.#persist(() => this.#follow())
    this.#endedAt = performance.now()
  }

  /** Retries until the load succeeds or the process ends. Polls meanwhile use the last loaded state. */
  async #persist(work: () => Promise<void>) {
    for (let delay = RETRY_MS; !this.#closed; delay = Math.min(delay * 2, MAX_RETRY_MS)) {
      try {
        return await work()
      } catch (error) {
        if (this.#closed) return
        this.#parts.log.warn({ err: error }, 'fleet not in step, trying again')
        this.#marks.everything = true
        await this.#client?.end().catch(() => {})
        this.#client = undefined
        await new Promise((done) => setTimeout(done, delay).unref())
      }
    }
  }

  async #open() {
    const { connection } = this.#parts.database
    const options = `${connection.options ?? ''} -c statement_timeout=0 -c idle_in_transaction_session_timeout=0`
    const client = new pg.Client({ ...connection, options, connectionTimeoutMillis: 5000 })
    client.on('error', () => {})
    await client.connect()
    return client
  }

  async #connected() {
    return (this.#client ??= await this.#open())
  }

  async #loadAll() {
    const before = readCopiedRowCount()
    const client = await this.#connected()
    const state = new FleetState(await countDevices(client))
    const snapshot = await readSnapshot(client)
    await loadModelsAndTenants(client, state)
    await loadDevices(client, state)
    await loadRules(client, this.#parts.database.db, state)
    await loadTasks(client, state)
    for (const part of this.#parts.parts ?? []) await part.load(client, state.slots)
    this.state = state
    this.#snapshot = snapshot
    if (readCopiedRowCount() - before >= MIN_ROWS_TO_COLLECT_GARBAGE) forceGarbageCollection()
  }

  async #follow() {
    const before = readCopiedRowCount()
    const marks = this.#marks
    this.#marks = new Marks()
    const { state } = this
    const { db } = this.#parts.database
    const client = await this.#connected()
    const since = this.#snapshot
    const rules = async () => {
      if (marks.everything || !marks.rules) await loadRules(client, db, state)
      else if (marks.rules.size > 0) await loadRules(client, db, state, marks.rules)
    }
    // Rules are loaded before devices, because a person waits for a release to start or stop. When a device change was
    // published, devices are loaded first, because the lists of a release may contain new devices.
    const areDevicesKnown = !marks.devices && !marks.everything
    if (areDevicesKnown) {
      await rules()
      // Devices of a new release poll immediately, and the remaining load would compete with them for the processors.
      if (marks.rules?.size !== 0) await new Promise((done) => setTimeout(done, LULL_MS))
    }
    const snapshot = await readSnapshot(client)
    await loadDevices(client, state, since)
    if (marks.references || marks.everything) await loadModelsAndTenants(client, state)
    if (!areDevicesKnown) await rules()
    if (marks.everything) {
      for (const otaId of state.rules.keys()) note(marks.allowlists, otaId, null)
      for (const id of state.groups.keys()) note(marks.groups, id, null)
    }
    for (const [otaId, few] of marks.allowlists) await reloadAllowlists(client, state, otaId, few)
    for (const [id, few] of marks.groups) await reloadGroup(client, db, state, id, few)
    await loadChangedTasks(client, state, since)
    for (const part of this.#parts.parts ?? []) await part.follow(client, state.slots, since)
    this.#snapshot = snapshot
    if (readCopiedRowCount() - before >= MIN_ROWS_TO_COLLECT_GARBAGE) forceGarbageCollection()
  }

  async #refreshGroups() {
    for (const { id, isDynamic } of this.state.groups.values()) if (isDynamic) note(this.#marks.groups, id, null)
    await this.sync()
  }
}
