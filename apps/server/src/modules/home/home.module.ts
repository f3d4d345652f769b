import { home } from '@oms/contract/home.ts'
import { implement } from '#kernel/implement.ts'
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
