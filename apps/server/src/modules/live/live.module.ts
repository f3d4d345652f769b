import { events } from '@oms/contract/live/events.ts'
import { implement } from '#core/http/implement.ts'
import { streamEvents } from './live.service.ts'

export const liveModule = implement(events, { stream: streamEvents })
