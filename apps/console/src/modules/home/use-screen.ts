import type { home } from '@oms/contract/home/home.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { useSyncExternalStore } from 'react'
import { Feed } from './screen-feed.ts'

const MINUTE_MS = 60_000

/** Responses of the four requests; null without permission. */
interface Parts {
  readonly fleet: ResultOf<typeof home.screenFleet>
  readonly online: ResultOf<typeof home.screenOnline>
  readonly releases: ResultOf<typeof home.screenReleases>
  readonly tickets: ResultOf<typeof home.screenTickets>
}
/** Sends a request with a session, or with a display secret. */
export type FeedRequest = <P extends keyof Parts>(part: P, signal: AbortSignal) => Promise<Parts[P]>

/** Polls the four requests of the big screen every minute. */
export const pollFeeds = (ask: FeedRequest) => ({
  fleet: new Feed((signal) => ask('fleet', signal), MINUTE_MS),
  online: new Feed((signal) => ask('online', signal), MINUTE_MS),
  releases: new Feed((signal) => ask('releases', signal), MINUTE_MS),
  tickets: new Feed((signal) => ask('tickets', signal), MINUTE_MS),
})
export type ScreenFeeds = ReturnType<typeof pollFeeds>

export const useFeed = <T>(feed: Feed<T>) => useSyncExternalStore(feed.listen, feed.get)

export function useScreen(feeds: ScreenFeeds) {
  return {
    fleet: useFeed(feeds.fleet),
    online: useFeed(feeds.online),
    releases: useFeed(feeds.releases),
    tickets: useFeed(feeds.tickets),
  }
}
export type Screen = ReturnType<typeof useScreen>
