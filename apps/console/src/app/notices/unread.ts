import { onEvent } from '#core/events/events.ts'
import { createStore, useStore } from '#core/events/store.ts'

const unread = createStore(0)
/** Stores the number of unread messages. */
export const setUnreadCount = unread.set

// Subscribes at start, because the first event arrives before the top bar renders.
onEvent('unread', ({ count }) => setUnreadCount(count))

/** The latest number of unread messages from the server. */
export const useUnreadCount = () => useStore(unread)
