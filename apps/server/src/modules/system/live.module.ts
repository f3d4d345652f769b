import { events } from '@oms/contract/system/events.ts'
import { implement } from '#core/http/implement.ts'
import { streamEvents } from './live.ts'

export const liveModule = implement(events, { stream: streamEvents })
