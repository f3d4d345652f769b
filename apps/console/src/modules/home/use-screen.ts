import { useState, useSyncExternalStore } from 'react'
import { call } from '#kernel/call.ts'
import { calls } from './calls.ts'
import { Feed } from './screen-feed.ts'

const MINUTE_MS = 60_000

const feedsOf = () => ({
  fleet: new Feed((signal) => call(calls.screenFleet, {}, { signal, quiet: true }), MINUTE_MS),
  online: new Feed((signal) => call(calls.screenOnline, {}, { signal, quiet: true }), MINUTE_MS),
  releases: new Feed((signal) => call(calls.screenReleases, {}, { signal, quiet: true }), MINUTE_MS),
  tickets: new Feed((signal) => call(calls.screenTickets, {}, { signal, quiet: true }), MINUTE_MS),
})

const useFeed = <T>(feed: Feed<T>) => useSyncExternalStore(feed.listen, feed.get)

/** The four questions of the screen, each on its own round of a minute. */
export function useScreen() {
  const [feeds] = useState(feedsOf)
  return {
    fleet: useFeed(feeds.fleet),
    online: useFeed(feeds.online),
    releases: useFeed(feeds.releases),
    tickets: useFeed(feeds.tickets),
  }
}
export type Screen = ReturnType<typeof useScreen>
