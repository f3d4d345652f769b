import { events } from '@oms/contract/events.ts'
import { implement } from '#kernel/implement.ts'
import { stream } from './live.service.ts'

export const liveModule = implement(events, { stream })
