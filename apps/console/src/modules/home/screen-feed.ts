import type { home } from '@oms/contract/home/home.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { useSyncExternalStore } from 'react'

/** State of a panel: newest response, its time, and whether the last request failed. */
interface FeedState<T> {
  readonly data: T | undefined
  readonly at: number | undefined
  readonly failed: boolean
}

interface Clock {
  now(): number
  set(run: () => void, ms: number): unknown
  clear(timer: unknown): void
}
const REAL: Clock = {
  now: () => Date.now(),
  set: (run, ms) => setTimeout(run, ms),
  clear: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
}

/**
 * Polls for days with constant memory: a request is scheduled after the previous response, and a response replaces
 * the previous one.
 */
export class Feed<T> {
  #state: FeedState<T> = { data: undefined, at: undefined, failed: false }
  #listeners = new Set<() => void>()
  #timer: unknown
  #asking: AbortController | undefined
  readonly #load: (signal: AbortSignal) => Promise<T>
  readonly #everyMs: number
  readonly #clock: Clock

  constructor(load: (signal: AbortSignal) => Promise<T>, everyMs: number, clock: Clock = REAL) {
    this.#load = load
    this.#everyMs = everyMs
    this.#clock = clock
  }

  readonly get = () => this.#state

  /** Polls while there are subscribers; returns the unsubscribe function. */
  readonly listen = (listener: () => void) => {
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) void this.#ask()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stop()
    }
  }

  #stop() {
    this.#clock.clear(this.#timer)
    this.#timer = undefined
    this.#asking?.abort()
    this.#asking = undefined
  }

  async #ask() {
    const asking = new AbortController()
    this.#asking = asking
    const next = await this.#load(asking.signal).then(
      (data): FeedState<T> => ({ data, at: this.#clock.now(), failed: false }),
      (): FeedState<T> => ({ ...this.#state, failed: true }),
    )
    // Ignores the response when the feed was stopped or restarted in the meantime.
    if (this.#asking !== asking) return
    this.#asking = undefined
    this.#state = next
    this.#timer = this.#clock.set(() => void this.#ask(), this.#everyMs)
    for (const listener of this.#listeners) listener()
  }
}

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
type ScreenFeeds = ReturnType<typeof pollFeeds>

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
