import type { home } from '@oms/contract/home.ts'
import type { ResultOf } from '@oms/contract/kernel/endpoint.ts'
import { useSyncExternalStore } from 'react'
import { Feed } from './screen-feed.ts'

const MINUTE_MS = 60_000

/** What the four questions answer; null: not for these eyes. */
interface Parts {
  readonly fleet: ResultOf<typeof home.screenFleet>
  readonly online: ResultOf<typeof home.screenOnline>
  readonly releases: ResultOf<typeof home.screenReleases>
  readonly tickets: ResultOf<typeof home.screenTickets>
}
/** How a question reaches the server: with a session, or with a wall's own secret. */
export type Ask = <P extends keyof Parts>(part: P, signal: AbortSignal) => Promise<Parts[P]>

/** The four questions of the screen, each on its own round of a minute. */
export const feedsOf = (ask: Ask) => ({
  fleet: new Feed((signal) => ask('fleet', signal), MINUTE_MS),
  online: new Feed((signal) => ask('online', signal), MINUTE_MS),
  releases: new Feed((signal) => ask('releases', signal), MINUTE_MS),
  tickets: new Feed((signal) => ask('tickets', signal), MINUTE_MS),
})
export type Feeds = ReturnType<typeof feedsOf>

export const useFeed = <T>(feed: Feed<T>) => useSyncExternalStore(feed.listen, feed.get)

export function useScreen(feeds: Feeds) {
  return {
    fleet: useFeed(feeds.fleet),
    online: useFeed(feeds.online),
    releases: useFeed(feeds.releases),
    tickets: useFeed(feeds.tickets),
  }
}
export type Screen = ReturnType<typeof useScreen>
