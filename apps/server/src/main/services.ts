import { openMedia } from '#core/media/open-media.ts'
import { type CoreParts, createCoreServices, type Services } from '#core/services.ts'
import { AdDelivery } from '#modules/advertise/manifests/ad-delivery.ts'
import { AdIndex } from '#modules/advertise/manifests/ad-index.ts'
import { AgentParameters } from '#modules/agent/parameter-values.ts'
import { Fleet } from '#modules/device/fleet/fleet.ts'
import { readGroup } from '#modules/device/fleet/load-rules.ts'
import { VoiceServers } from '#modules/agent/voice-servers/voice-servers.ts'
import { WebhookSender } from '#modules/integration/sender.ts'
import { KEEP_DAYS_SQL } from '#modules/storage/settings.ts'
import { PlayGuard } from '#modules/storage/playback/play-token.ts'
import { StorageIndex } from '#modules/storage/video/storage-index.ts'
import { VideoServices } from '#modules/storage/video/videos.ts'

/** Creates all services of one process: those of `core` and those of `domain`. */
export async function createServices(parts: CoreParts): Promise<Services> {
  const core = await createCoreServices(parts)
  const { database, events, log, config } = core
  const { timeZone } = config
  const index = new StorageIndex()
  const adIndex = new AdIndex({
    events,
    timeZone,
    download: config.ads.download,
    readGroup: (client, id) => readGroup(client, database.db, fleet, id),
  })
  const fleet: Fleet = new Fleet({ database, events, log, timeZone, parts: [index, adIndex] })
  const adDelivery = new AdDelivery({ pool: database.pool, log, index: adIndex, config })
  core.onClose(() => adDelivery.close())
  const media = await openMedia(config, log)
  core.readiness.add('videos', () => media.check())
  const videos = new VideoServices({
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
  const playGuard = new PlayGuard(database, events, KEEP_DAYS_SQL)
  core.onClose(async () => playGuard.close())
  const agentParameters = new AgentParameters(core)
  const voiceServers = new VoiceServers({ ...core, agentParameters })
  core.onClose(() => voiceServers.close())
  const webhooks = new WebhookSender(core)
  core.onClose(() => webhooks.close())
  return { ...core, agentParameters, voiceServers, fleet, videos, playGuard, adDelivery, webhooks }
}
