import { homeDisplay } from '@oms/contract/home/home-display.ts'
import { home } from '@oms/contract/home/home.ts'
import { implement, type Module } from '#core/http/implement.ts'
import * as displays from './display.ts'
import { listHomeBlocks, getBlockSummary } from './home.ts'
import { getBigScreenFleet, getBigScreenOnlineCounts, getBigScreenReleases, getBigScreenTickets } from './screen.ts'
import { listTodos } from './todos.ts'
import { getDistribution, getTrend } from './trend.ts'

const homeModule = implement(home, {
  summary: getBlockSummary,
  blocks: listHomeBlocks,
  todo: listTodos,
  trend: getTrend,
  distribution: getDistribution,
  screenFleet: getBigScreenFleet,
  screenOnline: getBigScreenOnlineCounts,
  screenReleases: getBigScreenReleases,
  screenTickets: getBigScreenTickets,
})

const displayModule = implement(
  homeDisplay,
  {
    links: displays.listDisplayLinks,
    create: displays.createDisplayLink,
    revoke: displays.revokeDisplayLink,
    about: displays.getDisplayLinkName,
    fleet: displays.createDisplayHandler(getBigScreenFleet),
    online: displays.createDisplayHandler(getBigScreenOnlineCounts),
    releases: displays.createDisplayHandler(getBigScreenReleases),
    tickets: displays.createDisplayHandler(getBigScreenTickets),
  },
  { outsideTransaction: ['create'] },
)

/** All calls of this module. */
export const homeModules: readonly Module[] = [homeModule, displayModule]

export { registerFleetSamples as registerHomeJobs } from './trend.ts'
