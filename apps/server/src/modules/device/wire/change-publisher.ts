import type { Services } from '#core/services.ts'

const TELL_MS = 1000

/** Publishes changes of tasks and devices to consoles, at most once per second and tenant. */
export class ChangePublisher {
  readonly #services: Services
  readonly #waiting = new Set<number>()
  #timer: NodeJS.Timeout | undefined

  constructor(services: Services) {
    this.#services = services
  }

  moved(tenantId: number) {
    this.#waiting.add(tenantId)
    this.#timer ??= setTimeout(() => void this.#tell(), TELL_MS).unref()
  }

  close() {
    clearTimeout(this.#timer)
  }

  async #tell() {
    const tenants = [...this.#waiting]
    this.#waiting.clear()
    this.#timer = undefined
    const { events, database, log } = this.#services
    try {
      for (const tenantId of tenants)
        for (const resource of ['upgrade', 'device'])
          await events.publish(database.db, 'changed', { resource, tenantId })
    } catch (error) {
      log.warn({ err: error }, 'consoles not told')
    }
  }
}
