import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Config } from '#core/config/config.ts'
import { createDayClock } from '#core/time/day-clock.ts'
import { PlayIngest } from '../plays/ingest.ts'
import { PlayWriter } from '../plays/play-writer.ts'
import { ScreenStatus } from '../screens/screen-status.ts'
import type { AdIndex } from './ad-index.ts'
import { PublishedVersions } from './published-versions.ts'

declare module '#core/services.ts' {
  interface ServiceExtensions {
    readonly adDelivery: AdDelivery
  }
}

interface Parts {
  readonly pool: Pool
  readonly log: Logger
  readonly index: AdIndex
  readonly config: Pick<Config, 'timeZone' | 'ads' | 'adPlayDays'>
}

/** Services of one process that deliver manifests to advertising screens and store their reports. */
export class AdDelivery {
  readonly index: AdIndex
  readonly ingest: PlayIngest
  readonly status: ScreenStatus
  readonly writer: PlayWriter

  constructor({ pool, log, index, config }: Parts) {
    const { dayOf } = createDayClock(config.timeZone)
    this.index = index
    this.writer = new PlayWriter(pool, dayOf)
    const versions = new PublishedVersions(pool)
    this.ingest = new PlayIngest({ pool, writer: this.writer, versions, retentionDays: config.adPlayDays, dayOf })
    this.status = new ScreenStatus(pool, log)
  }

  async close() {
    await this.writer.close()
    await this.status.close()
  }
}
