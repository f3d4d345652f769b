import { type CoreParts, createCoreServices, type Services } from '#core/services.ts'
import { Fleet } from '#domain/fleet/fleet.ts'

/** Creates all services of one process: those of `core` and those of `domain`. */
export async function createServices(parts: CoreParts): Promise<Services> {
  const core = await createCoreServices(parts)
  const { database, events, log, config } = core
  const fleet = new Fleet({ database, events, log, timeZone: config.timeZone })
  core.onClose(() => fleet.close())
  return { ...core, fleet }
}
