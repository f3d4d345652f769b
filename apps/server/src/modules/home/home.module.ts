import { home } from '@oms/contract/home/home.ts'
import { display } from '@oms/contract/home/home-display.ts'
import { implement } from '#core/http/implement.ts'
import * as displays from './display.service.ts'
import { listHomeBlocks, getBlockSummary } from './home.service.ts'
import { getScreenFleet, getScreenOnline, getScreenReleases, getScreenTickets } from './screen.service.ts'
import { listTodos } from './todo.service.ts'
import { getDistribution, getTrend } from './trend.service.ts'

export const homeModule = implement(home, {
  summary: getBlockSummary,
  blocks: listHomeBlocks,
  todo: listTodos,
  trend: getTrend,
  distribution: getDistribution,
  screenFleet: getScreenFleet,
  screenOnline: getScreenOnline,
  screenReleases: getScreenReleases,
  screenTickets: getScreenTickets,
})

export const displayModule = implement(
  display,
  {
    links: displays.listDisplayLinks,
    create: displays.createDisplayLink,
    revoke: displays.revokeDisplayLink,
    about: displays.getDisplayLinkName,
    fleet: displays.createDisplayHandler(getScreenFleet),
    online: displays.createDisplayHandler(getScreenOnline),
    releases: displays.createDisplayHandler(getScreenReleases),
    tickets: displays.createDisplayHandler(getScreenTickets),
  },
  { outsideTransaction: ['create'] },
)
