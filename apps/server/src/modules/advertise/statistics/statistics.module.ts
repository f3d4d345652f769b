import { adStats } from '@oms/contract/advertise/statistics.ts'
import { implement } from '#core/http/implement.ts'
import { listAdvertisers, listContractNos } from './statistics-ad-attributes.ts'
import { listDetails } from './statistics-detail.ts'
import { getTrend, listRanking } from './statistics-charts.ts'
import { exportAdStats } from './statistics-export.ts'
import { listAdOptions, listGroupOptions, listProgramOptions } from './statistics-options.ts'
import { exportPlays } from './statistics-plays.ts'
import { getHeatmap, getSummary } from './statistics.ts'

/** Statistics of the plays of ads. */
export const adStatModule = implement(
  adStats,
  {
    summary: getSummary,
    trend: getTrend,
    rank: listRanking,
    heatmap: getHeatmap,
    detail: listDetails,
    ads: listAdOptions,
    programs: listProgramOptions,
    groups: listGroupOptions,
    advertisers: listAdvertisers,
    contracts: listContractNos,
    export: exportAdStats,
    exportPlays,
  },
  { outsideTransaction: ['export', 'exportPlays'] },
)
