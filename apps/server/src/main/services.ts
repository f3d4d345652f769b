import { type CoreParts, createCoreServices, type Services } from '#core/services.ts'
import { openMedia } from '#core/media/open-media.ts'
import { Fleet } from '#domain/fleet/fleet.ts'
import { StorageIndex } from '#domain/video/storage-index.ts'
import { Videos } from '#domain/video/videos.ts'
import { PlayGuard } from '#domain/video/play-guard.ts'

/** Creates all services of one process: those of `core` and those of `domain`. */
export async function createServices(parts: CoreParts): Promise<Services> {
  const core = await createCoreServices(parts)
  const { database, events, log, config } = core
  const { timeZone } = config
  const index = new StorageIndex()
  const fleet = new Fleet({ database, events, log, timeZone, parts: [index] })
  const media = await openMedia(config)
  const videos = new Videos({
    pool: database.pool,
    log,
    fleet,
    index,
    media,
    timeZone,
    secretKey: () => config.secretKey,
  })
  core.onClose(() => videos.close())
  core.onClose(() => fleet.close())
  const playGuard = new PlayGuard(database, events)
  core.onClose(async () => playGuard.close())
  return { ...core, fleet, videos, playGuard }
}
