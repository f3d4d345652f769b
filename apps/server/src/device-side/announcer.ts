import type { Kernel } from '#kernel/kernel.ts'

const TELL_MS = 1000

/** Tells consoles that tasks and devices moved: once a second and tenant, however many did. */
export class Announcer {
  readonly #kernel: Kernel
  readonly #waiting = new Set<number>()
  #timer: NodeJS.Timeout | undefined

  constructor(kernel: Kernel) {
    this.#kernel = kernel
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
    const { events, database, log } = this.#kernel
    try {
      for (const tenantId of tenants)
        for (const resource of ['upgrade', 'device'])
          await events.publish(database.db, 'changed', { resource, tenantId })
    } catch (error) {
      log.warn({ err: error }, 'consoles not told')
    }
  }
}
