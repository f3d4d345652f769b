import { adStats } from '@oms/contract/advertise/statistics.ts'
import { implement } from '#core/http/implement.ts'
import { completion } from './statistics-booking.service.ts'
import { detail } from './statistics-detail.service.ts'
import { exportAdStats } from './statistics-export.ts'
import { adOptions, groupOptions, programOptions } from './statistics-options.service.ts'
import { exportPlays } from './statistics-plays.ts'
import { heatmap, rank, summary, trend } from './statistics.service.ts'

/** Statistics of the plays of ads. */
export const adStatModule = implement(
  adStats,
  {
    summary,
    trend,
    rank,
    heatmap,
    detail,
    completion,
    ads: adOptions,
    programs: programOptions,
    groups: groupOptions,
    export: exportAdStats,
    exportPlays,
  },
  { outsideTransaction: ['export', 'exportPlays'] },
)
