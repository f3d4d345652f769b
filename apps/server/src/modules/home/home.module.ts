import { home } from '@oms/contract/home/home.ts'
import { display } from '@oms/contract/home/home-display.ts'
import { implement } from '#core/http/implement.ts'
import * as displays from './display.service.ts'
import { blocks, summary } from './home.service.ts'
import { screenFleet, screenOnline, screenReleases, screenTickets } from './screen.service.ts'
import { todo } from './todo.service.ts'
import { distribution, trend } from './trend.service.ts'

export const homeModule = implement(home, {
  summary,
  blocks,
  todo,
  trend,
  distribution,
  screenFleet,
  screenOnline,
  screenReleases,
  screenTickets,
})

export const displayModule = implement(
  display,
  {
    links: displays.links,
    create: displays.create,
    revoke: displays.revoke,
    about: displays.about,
    fleet: displays.forDisplayLink(screenFleet),
    online: displays.forDisplayLink(screenOnline),
    releases: displays.forDisplayLink(screenReleases),
    tickets: displays.forDisplayLink(screenTickets),
  },
  { outsideTransaction: ['create'] },
)
