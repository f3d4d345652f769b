import type { Events, Topics } from '#core/events/events.ts'

/** Published changes of the rows that manifests depend on. */
class Marks {
  everything = false
  devices = false
  groups = false
  readonly programs = new Set<number>()
  readonly ads = new Set<number>()
  readonly screens = new Set<number>()

  take({ table, lists, devices }: Topics['fleet']) {
    if (table === 'devices') this.devices = true
    else if (table === 'device_groups' || table === 'device_group_members') this.groups = true
    else if (table === 'ad_programs') for (const id of lists ?? []) this.programs.add(id)
    else if (table === 'ads') for (const id of lists ?? []) this.ads.add(id)
    else if (table === 'ad_screens') for (const id of devices ?? []) this.screens.add(id)
  }
}

/** Collects the changes that the ad index has not loaded yet. */
export class AdChanges {
  #marks = new Marks()

  constructor(events: Pick<Events, 'on' | 'onReconnect'>) {
    events.on('fleet', (change) => this.#marks.take(change))
    events.onReconnect(() => this.markAll())
  }

  /** Returns the collected changes and starts a new collection. */
  takeAll(): Marks {
    const marks = this.#marks
    this.#marks = new Marks()
    return marks
  }

  /** Marks all rows as changed, so that the next load reads everything. */
  markAll() {
    this.#marks.everything = true
  }
}
